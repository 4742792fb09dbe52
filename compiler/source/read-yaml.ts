import { ParsedDocument } from './parsed-document.ts';
import { readPlainYaml } from './plain-yaml/read-plain-yaml.ts';
import { fullRoots, readFullYaml } from './read-full-yaml.ts';
import type { ReadResult } from './read-result.ts';
import { type Roots, rootOf } from './recent-roots.ts';
import type { SourceText } from './source-text.ts';

/**
 * Reads the documents of a YAML 1.2 text: `no` and timestamps are strings, merge keys are followed, keys are strings. What
 * the plain reader is not sure of, the full one reads.
 */
export function readYaml(source: SourceText): ReadResult {
  // Values do not tell how lines were ended; places do.
  const text = source.text.replaceAll('\r\n', '\n');
  const plain = readPlainYaml(text);
  if (plain === undefined) return readFullYaml(source);
  const readRoots = text === source.text ? plainRoots : fullRoots;
  const documents = plain.map(
    ({ index, value }) => new ParsedDocument(source, index, value, [], () => rootOf(source, index, readRoots)),
  );
  return { documents, diagnostics: [] };
}

function plainRoots({ text }: SourceText): Roots {
  const documents = readPlainYaml(text, true) ?? [];
  return new Map(documents.flatMap(({ index, root }) => (root === undefined ? [] : [[index, root]])));
}
