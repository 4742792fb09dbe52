import { ParsedDocument } from './parsed-document.ts';
import { readPlainYaml } from './plain-yaml/read-plain-yaml.ts';
import { readFullYaml } from './read-full-yaml.ts';
import type { ReadResult } from './read-result.ts';
import { rootOf } from './recent-roots.ts';
import type { SourceText } from './source-text.ts';

/**
 * Reads the documents of a YAML 1.2 text: `no` and timestamps are strings, merge keys are followed, keys are strings. What
 * the plain reader is not sure of, the full one reads.
 */
export function readYaml(source: SourceText): ReadResult {
  const plain = readPlainYaml(source.text);
  if (plain === undefined) return readFullYaml(source);
  const documents = plain.map(
    ({ index, value }) => new ParsedDocument(source, index, value, [], () => rootOf(source, index, plainRoots)),
  );
  return { documents, diagnostics: [] };
}

function plainRoots({ text }: SourceText) {
  const documents = readPlainYaml(text, true) ?? [];
  return new Map(documents.flatMap(({ index, root }) => (root === undefined ? [] : [[index, root]])));
}
