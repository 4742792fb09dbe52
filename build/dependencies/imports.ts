/** Which room imports which package. */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import rooms from '../rooms.json' with { type: 'json' };

/** The rooms in the order in which data flows; `build` also stands for files outside of any folder. */
const ROOMS = [...Object.keys(rooms), 'editors', 'build', 'test'];

/** The rooms by package, each once, in the order above. */
export function importingRooms(packages: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const rooms = new Map(packages.map(name => [name, new Set<string>()]));
  for (const room of ROOMS) {
    for (const name of importedFrom(room)) rooms.get(name)?.add(room);
  }
  return new Map([...rooms].map(([name, found]) => [name, [...found]]));
}

function importedFrom(room: string): ReadonlySet<string> {
  const files = globSync(`${room}/**/*.{ts,mjs}`, { exclude: name => name === 'node_modules' });
  if (room === 'build') files.push(...globSync('*.ts'));
  const imported = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    // A match may be part of a program in a test's string, so a file with a new name is parsed. Parsing every file would take seconds.
    const isNew = Array.from(text.matchAll(NAMED), ([, name = '']) => name).some(
      name => !imported.has(readPackageName(name)),
    );
    if (!isNew) continue;
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles)
      imported.add(readPackageName(fileName));
  }
  return imported;
}

/** A quoted text behind an import keyword, which may be the name of a package. */
const NAMED = /\b(?:from|import|require)[ (]*'((?!node:)[@a-z][^']*)'/g;

/** The package, `@scope/name` or `name`, of an import specifier, without the path inside it. */
function readPackageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
