import { isDeepStrictEqual } from 'node:util';
import { SourceText } from '#compiler';
import { readPlainYaml } from '../../../compiler/source/plain-yaml/read-plain-yaml.ts';
import { readFullYaml } from '../../../compiler/source/read-full-yaml.ts';
import { readYaml } from '../../../compiler/source/read-yaml.ts';
import type { Path, SourceDocument } from '../../../compiler/source/source-document.ts';

/**
 * Reads a text with both parsers. They must give the same documents, values, order of keys, and locations.
 *
 * @returns `left` when the fast parser leaves the text to the full one
 * @throws Error when they disagree
 */
export function compareReaders(text: string): 'same' | 'left' {
  const source = new SourceText('a.yaml', text);
  if (readPlainYaml(source.text.replaceAll('\r\n', '\n')) === undefined) return 'left';
  const plain = readYaml(source).documents;
  const full = readFullYaml(source);
  const found = [...full.diagnostics, ...full.documents.flatMap(({ caveats }) => caveats)];
  if (found.length > 0) throw new Error(`the full reader has findings: ${found.map(({ message }) => message).join()}`);
  same('the number of documents', plain.length, full.documents.length);
  for (const [number, document] of full.documents.entries()) compareDocuments(plain[number], document);
  return 'same';
}

function compareDocuments(plain: SourceDocument | undefined, full: SourceDocument): void {
  same('the index', plain?.index, full.index);
  same('the value', plain?.value, full.value);
  same('the order of keys', JSON.stringify(plain?.value), JSON.stringify(full.value));
  for (const path of pathsOf(full.value)) {
    for (const at of ['key', 'value'] as const)
      same(`the ${at} of ${path.join('.')}`, plain?.locate(path, at), full.locate(path, at));
  }
}

/** Every path of a value, and some that do not exist. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  const here: Path[] = [path, [...path, 'missing'], [...path, 99]];
  if (typeof value !== 'object' || value === null) return here;
  const isList = Array.isArray(value);
  return [
    ...here,
    ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, isList ? Number(key) : key])),
  ];
}

function same(what: string, plain: unknown, full: unknown): void {
  if (!isDeepStrictEqual(plain, full))
    throw new Error(`${what}: ${JSON.stringify(plain)} in the plain reader, ${JSON.stringify(full)} in the full one`);
}
