/** Files that ship with Lintel: next to the program in a package, or embedded in a single executable. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import sea from 'node:sea';
import { fileURLToPath } from 'node:url';

/** The folder of the package; both the sources and the built files are one folder below it. */
const PACKAGE = new URL('../', import.meta.url);

/** Whether this is a single executable. Its embedded files have paths below its own path, where no real file can be. */
export const IS_EXECUTABLE: boolean = sea.isSea();

/** The path of a shipped file, from its path in the package. */
export function resolvePackageFile(path: string): string {
  return fileURLToPath(new URL(path, PACKAGE));
}

/** The text of a shipped file. */
export function readPackageFile(path: string): string {
  return IS_EXECUTABLE ? sea.getAsset(path, 'utf8') : readFileSync(resolvePackageFile(path), 'utf8');
}

/** The names of the files in a shipped folder, sorted. */
export function listPackageFiles(folder: string): readonly string[] {
  if (!IS_EXECUTABLE) return readdirSync(resolvePackageFile(folder)).sort();
  const all: readonly string[] = JSON.parse(sea.getAsset('files', 'utf8'));
  const inside = all.filter(path => path.startsWith(`${folder}/`));
  return inside.map(path => path.slice(folder.length + 1)).sort();
}

/** The path of a program that ships next to `lintel`. */
export function resolveProgram(name: string): string {
  const file = resolvePackageFile(`dist/${name}`);
  if (!IS_EXECUTABLE && !existsSync(file)) throw new Error(`${file} is missing: run \`npm run build\``);
  return file;
}
