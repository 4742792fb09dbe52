import { isDeepStrictEqual } from 'node:util';
import { locate } from '../../../compiler/source/locate.ts';
import { readPlainYaml } from '../../../compiler/source/plain-yaml/read-plain-yaml.ts';
import { readFullYaml } from '../../../compiler/source/read-full-yaml.ts';
import type { Path, SourceDocument } from '../../../compiler/source/source-document.ts';
import { SourceText } from '../../../compiler/source/source-text.ts';

/** Reads a text with both readers. `left` when the plain one leaves it to the full one. */
export function compareReaders(text: string): 'same' | 'left' {
  const source = new SourceText('a.yaml', text);
  const plain = readPlainYaml(source.text);
  const placed = readPlainYaml(source.text, true);
  if (plain === undefined || placed === undefined) {
    if (plain !== placed) throw new Error('the plain reader is of two minds, with places and without');
    return 'left';
  }
  const full = readFullYaml(source);
  const found = [...full.diagnostics, ...full.documents.flatMap(({ caveats }) => caveats)];
  if (found.length > 0) throw new Error(`the full reader has findings: ${found.map(({ message }) => message).join()}`);
  same('the number of documents', plain.length, full.documents.length);
  for (const [number, document] of full.documents.entries()) {
    const [here, there] = [plain[number], placed[number]];
    same('the index', here?.index, document.index);
    same('the value', here?.value, document.value);
    same('the order of keys', JSON.stringify(here?.value), JSON.stringify(document.value));
    same('the value with places', there?.value, document.value);
    for (const path of pathsOf(document)) {
      for (const at of ['key', 'value'] as const) {
        const root = there?.root ?? fail('no places');
        same(`the ${at} of ${path.join('.')}`, locate(source, root, path, at), document.locate(path, at));
      }
    }
  }
  return 'same';
}

/** Every path of a value, and paths that lead nowhere. */
function pathsOf({ value }: SourceDocument): Path[] {
  const below = (member: unknown, path: Path): Path[] => {
    if (typeof member !== 'object' || member === null) return [path, [...path, 'missing']];
    const list = Array.isArray(member);
    const steps = Object.entries(member).flatMap(([key, inner]) => below(inner, [...path, list ? Number(key) : key]));
    return [path, [...path, 'missing'], [...path, 99], ...steps];
  };
  return below(value, []);
}

function same(what: string, plain: unknown, full: unknown): void {
  if (!isDeepStrictEqual(plain, full))
    throw new Error(`${what}: ${JSON.stringify(plain)} in the plain reader, ${JSON.stringify(full)} in the full one`);
}

function fail(message: string): never {
  throw new Error(message);
}
