/** Objects as YAML that every reader takes for what was meant. */
import { Document, Scalar, visit } from 'yaml';
import type { Fields } from './manifest.ts';

/**
 * What some readers take for a line break or leave out: control characters beyond ASCII, and what Unicode has for breaking
 * lines. JSON has it in strings as it is, and a bundle that lost a character would have another digest.
 */
const RISKY = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** One document for each object. Equal objects give equal bytes. */
export function yamlOf(objects: readonly Fields[]): string {
  return objects.map(documentText).join('---\n');
}

/** What begins so is a number, a date or a merge key for some reader of some version. */
const AMBIGUOUS = /^[-+.\d=<~]/;

function documentText(object: Fields): string {
  // Readers in Go go by YAML 1.1, where `on` and `0777` are no strings.
  const document = new Document(object, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value !== 'string') return;
      if (node.value.search(RISKY) >= 0) node.type = Scalar.QUOTE_DOUBLE;
      else if (AMBIGUOUS.test(node.value)) node.type = Scalar.QUOTE_SINGLE;
    },
  });
  const text = document.toString({ lineWidth: 0, directives: false, singleQuote: true });
  return text.replace(RISKY, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
