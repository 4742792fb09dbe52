/** Writes YAML that readers of YAML 1.1, such as those in Go and Python, readers of 1.2, such as Lintel, and kustomize read alike. */
import { Document, Scalar, visit } from 'yaml';
import { FRAGILE, isFragile } from './fragile-text.ts';

/**
 * Specs, which people edit, have as few quotes as possible. Manifests have single quotes, in which JSON is easy to read, around each text
 * that begins like a number, an option or a merge key.
 */
export type YamlStyle = 'spec' | 'manifest';

const NUMBER_LIKE = /^[-+.\d=<~]/;

/** YAML 1.1 has a special type for this text, which the library does not support: https://yaml.org/type/value.html */
const VALUE_TYPE = '=';

/** One document. Equal objects give equal bytes. */
export function formatYaml(value: object, style: YamlStyle = 'spec'): string {
  // Texts get quotes if one version would read another type: version 1.1 for `on` and `0777`, the core schema of 1.2 for `0o17`.
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

/** The quotes that a text needs; undefined when the library chooses the right ones. */
function findQuotes(text: string, style: YamlStyle): Scalar.Type | undefined {
  // Escapes are read in double quotes alone.
  if (isFragile(text)) return Scalar.QUOTE_DOUBLE;
  if (style === 'manifest') return NUMBER_LIKE.test(text) ? Scalar.QUOTE_SINGLE : undefined;
  return text === VALUE_TYPE ? Scalar.QUOTE_DOUBLE : undefined;
}
