/** The writer of YAML. Readers of YAML 1.1, such as those in Go and Python, those of 1.2, such as Lintel, and kustomize read the same values. */
import { Document, Scalar, visit } from 'yaml';
import { FRAGILE, isFragile } from './fragile-text.ts';

/**
 * Specs that people go on to write have as few quotes as can be. Manifests have single quotes, in which JSON is easy to read, around each text
 * that begins like a number, an option or a merge key.
 */
export type YamlStyle = 'spec' | 'manifest';

const NUMBER_LIKE = /^[-+.\d=<~]/;

/** YAML 1.1 has a type of its own for this text, of which the library does not know: https://yaml.org/type/value.html */
const VALUE_TYPE = '=';

/** One document. Equal objects give equal bytes. */
export function formatYaml(value: object, style: YamlStyle = 'spec'): string {
  // Texts such as `on` and `0777`, which version 1.1 takes for something else, and such as `0o17`, which the core schema of 1.2 does, get quotes.
  const document = new Document(value, { version: '1.1', compat: 'core', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      const quotes = typeof node.value === 'string' ? findQuotes(node.value, style) : undefined;
      if (quotes !== undefined) node.type = quotes;
    },
  });
  const text = document.toString({
    lineWidth: 0,
    directives: false,
    singleQuote: style === 'manifest' ? true : null,
  });
  return text.replaceAll(FRAGILE, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One document for each object. */
export function formatYamlStream(values: readonly object[], style?: YamlStyle): string {
  return values.map(value => formatYaml(value, style)).join('---\n');
}

/** The quotes that a text needs; undefined where the library finds those that it takes. */
function findQuotes(text: string, style: YamlStyle): Scalar.Type | undefined {
  // Escapes are read in double quotes alone.
  if (isFragile(text)) return Scalar.QUOTE_DOUBLE;
  if (style === 'manifest') return NUMBER_LIKE.test(text) ? Scalar.QUOTE_SINGLE : undefined;
  return text === VALUE_TYPE ? Scalar.QUOTE_DOUBLE : undefined;
}
