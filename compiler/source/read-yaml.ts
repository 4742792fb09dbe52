import { ParsedDocument } from './parsed-document.ts';
import { readPlainYaml } from './plain-yaml/read-plain-yaml.ts';
import { readFullRoots, readFullYaml } from './read-full-yaml.ts';
import type { ReadResult } from './read-result.ts';
import { getRoot } from './root-cache.ts';
import type { SourceText } from './source-text.ts';

/**
 * Reads the documents of a YAML 1.2 text: `no` and timestamps are strings, merge keys are followed, keys are strings. The full reader takes over
 * when the plain reader gives up.
 */
export function readYaml(source: SourceText): ReadResult {
  // Values do not depend on the kind of line break, but positions do.
  const text = source.text.replaceAll('\r\n', '\n');
  const plain = readPlainYaml(text);
  if (plain === undefined) return readFullYaml(source);
  const { places: sourceMap } = plain;
  const documents = plain.documents.map(({ index, value, entry }) => {
    const root = text === source.text ? () => sourceMap.node(entry) : () => getRoot(source, index, readFullRoots);
    return new ParsedDocument(source, index, value, [], root);
  });
  return { documents, diagnostics: [] };
}
