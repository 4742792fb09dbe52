/** Keeps the generated tool types in step with the tool lock. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type CatalogLock, TYPES_FILE } from '#schemas';
import { describeFileError } from '#shared/util';
import { formatTypes, TYPES_HEADER } from '../analysis/catalog/index.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { formatPath } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { writeOutput } from './outputs.ts';

/**
 * Interprets `lintel lock --types [file] [path...]`. Only a `.ts` file can hold types, so any other word after `--types` is a path of specs, as
 * in `lintel lock --types specs.yaml`.
 */
export function parseTypesArgument(
  types: string | true | undefined,
  paths: readonly string[],
): { readonly types: string | true | undefined; readonly paths: readonly string[] } {
  return typeof types !== 'string' || TYPESCRIPT.test(types)
    ? { types, paths }
    : { types: true, paths: [types, ...paths] };
}

const TYPESCRIPT = /\.[cm]?ts$/;

/**
 * The file for the types: the named one, otherwise the one next to the tool lock if it is requested or exists.
 * @throws UsageError for a file that lintel did not write: it may be a program
 */
export function findTypesFile(
  named: string | true | undefined,
  catalogFile: string,
  cwd: string,
  isNeeded: boolean,
): string | undefined {
  if (typeof named === 'string') {
    const file = path.resolve(cwd, named);
    // In `--types app.ts`, the file may be meant as a program, and the option as one without a file.
    if (isForeign(readText(file))) {
      throw new UsageError(
        `--types ${named}: this file was not written by lintel, so it is not replaced; to lock the program, write \`lintel lock ${named} --types\`; for types, give the name of another file`,
      );
    }
    return file;
  }
  const file = path.join(path.dirname(catalogFile), TYPES_FILE);
  const present = readText(file);
  if (isForeign(present)) {
    if (named === undefined && !isNeeded) return undefined;
    throw new UsageError(`${formatPath(file, cwd)} was not written by lintel; give another file to --types`);
  }
  return named === true || isNeeded || present !== undefined ? file : undefined;
}

/** A handwritten text, as opposed to no file or previously generated types. */
function isForeign(text: string | undefined): boolean {
  return text !== undefined && text !== '' && !text.startsWith(TYPES_HEADER);
}

/** Writes the types, or with `check` only compares them. Returns whether they were current. */
export async function keepTypes(
  file: string | undefined,
  lock: CatalogLock,
  { cwd, check }: { readonly cwd: string; readonly check: boolean },
): Promise<boolean> {
  if (file === undefined) return true;
  const shown = formatPath(file, cwd);
  const text = formatTypes(lock);
  const isCurrent = readText(file) === text;
  if (check) {
    logLine(isCurrent ? `${shown} is up to date` : `${shown} differs from the tool lock: run \`lintel lock --types\``);
  } else {
    await writeOutput(file, text);
    logLine(isCurrent ? `${shown} is unchanged` : `wrote ${shown}`);
  }
  return isCurrent;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`${file}: ${describeFileError(error)}`);
  }
}

function logLine(text: string): void {
  process.stderr.write(`lintel: ${escapeUnprintable(text)}\n`);
}
