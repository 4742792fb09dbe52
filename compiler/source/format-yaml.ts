import { Document, Scalar, visit } from 'yaml';
import { mayHaveTwoReadings } from './two-readings.ts';

/** Writes YAML that readers of version 1.1, such as `kubectl` and Helm, and of 1.2, such as Lintel, read alike: the text `off` is quoted. */
export function formatYaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && mayHaveTwoReadings(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}
