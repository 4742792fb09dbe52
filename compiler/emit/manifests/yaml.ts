/** Objects as YAML that all readers understand alike. */
import { Document, Scalar, visit } from 'yaml';
import { FRAGILE, isFragile } from './fragile-text.ts';
import type { Fields } from './manifest.ts';

/** One document per object. Equal objects give equal bytes. */
export function formatYaml(objects: readonly Fields[]): string {
  return objects.map(yamlText).join('---\n');
}

/** Some YAML reader takes a text with such a beginning for a number, a date or a merge key. */
const AMBIGUOUS = /^[-+.\d=<~]/;

export function yamlText(object: Fields): string {
  // Readers in Go use YAML 1.1, where `on` and `0777` are not strings.
  const document = new Document(object, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value !== 'string') return;
      if (isFragile(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      else if (AMBIGUOUS.test(node.value)) node.type = Scalar.QUOTE_SINGLE;
    },
  });
  const text = document.toString({ lineWidth: 0, directives: false, singleQuote: true });
  return text.replaceAll(FRAGILE, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
