import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the package: sources and what is built of them are both one folder below it. */
const PACKAGE = new URL('../', import.meta.url);

/** The path of a file that ships with us, by its path in the package. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(path, PACKAGE));
}

/** The path of a program that ships beside `lintel`. */
export function programBeside(name: string): string {
  const file = packageFile(`dist/${name}`);
  if (!existsSync(file)) throw new Error(`${file} is missing: run \`npm run build\``);
  return file;
}
