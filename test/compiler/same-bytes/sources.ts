/** The sources of this folder, and the same sources in other forms. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isSeq, type Node, type Pair, parseAllDocuments } from 'yaml';

export type Files = { readonly [path: string]: string };

const FOLDER = join(import.meta.dirname, 'specs');

export const SOURCES: Files = Object.fromEntries(
  readdirSync(FOLDER).map(file => [file, readFileSync(join(FOLDER, file), 'utf8')]),
);

/** Other names, so that the files are read in the opposite order, some of them from folders. */
export function renamed(files: Files): Files {
  const names = Object.keys(files).sort();
  const folder = (index: number): string => (index % 2 === 0 ? 'sub/folder/' : '');
  return Object.fromEntries(
    names.map((name, index) => [`${folder(index)}${names.length - index}-${name}`, files[name] ?? '']),
  );
}

/** All documents of all files in one text, the last one first. */
export function oneText(files: Files): string {
  return documentsOf(Object.values(files).join('\n---\n')).reverse().join('---\n');
}

/** The documents of every file in the opposite order. */
export function withDocumentsReversed(files: Files): Files {
  return mapTexts(files, text => documentsOf(text).reverse().join('---\n'));
}

/** The members of every mapping in the opposite order; lists stay as they are. */
export function withKeysReversed(files: Files): Files {
  return mapTexts(files, text => documentsOf(text, reverseKeys).join('---\n'));
}

export function withCrlf(files: Files): Files {
  return mapTexts(files, text => text.replaceAll('\n', '\r\n'));
}

export function withComments(files: Files): Files {
  return mapTexts(files, (text, file) => (file.endsWith('.json') ? text : `# ${file}\n\n${text}\n# end\n`));
}

function mapTexts(files: Files, change: (text: string, file: string) => string): Files {
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => {
      const changed = change(text, file);
      // YAML output is not valid JSON.
      return [changed === text ? file : file.replace(/\.json$/, '.yml'), changed];
    }),
  );
}

function documentsOf(text: string, change: (node: Node) => void = () => {}): string[] {
  return parseAllDocuments(text).map(document => {
    if ('empty' in document || document.contents === null) throw new Error('no document');
    change(document.contents);
    return String(document).replace(/^---\n/, '');
  });
}

function reverseKeys(node: Node): void {
  if (isSeq(node)) for (const item of node.items) reverseKeys(item as Node);
  if (!isMap(node)) return;
  node.items.reverse();
  for (const { value } of node.items as Pair<Node, Node | null>[]) if (value !== null) reverseKeys(value);
}
