/** The types of the tools, in step with the tool catalog. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type CatalogLock, TYPES_FILE } from '#schemas';
import { TYPES_HEADER, typesText } from '../catalog/types/types-text.ts';
import { printable } from '../diagnostics/render/printable.ts';
import { shownPath } from '../project/catalog-file.ts';
import { reasonOf } from '../source/find-files.ts';
import { UsageError } from '../usage-error.ts';
import { writeOutput } from './outputs.ts';

/**
 * The file that holds the types: the named one, else the one beside the tool catalog when it is asked for or there already.
 *
 * @throws UsageError for a name that is none of a TypeScript file, and for a file beside the catalog that is somebody's own
 */
export function chosenTypesFile(
  named: string | true | undefined,
  catalogFile: string,
  cwd: string,
  isNeeded: boolean,
): string | undefined {
  if (typeof named === 'string') {
    // `--types specs` looks like an option and a path.
    if (!/\.[cm]?ts$/.test(named)) {
      throw new UsageError(`--types ${named}: not the name of a .ts file; a path of specs stands before --types`);
    }
    return path.resolve(cwd, named);
  }
  const file = path.join(path.dirname(catalogFile), TYPES_FILE);
  const present = textOf(file);
  if (present !== undefined && present !== '' && !present.startsWith(TYPES_HEADER)) {
    if (named === undefined && !isNeeded) return undefined;
    throw new UsageError(`${shownPath(file, cwd)} was not written by lintel; give another file to --types`);
  }
  return named === true || isNeeded || present !== undefined ? file : undefined;
}

/** Writes the types, or with `check` only compares. Returns whether they were current. */
export async function keepTypes(
  file: string | undefined,
  lock: CatalogLock,
  { cwd, check }: { readonly cwd: string; readonly check: boolean },
): Promise<boolean> {
  if (file === undefined) return true;
  const shown = shownPath(file, cwd);
  const text = typesText(lock);
  const isCurrent = textOf(file) === text;
  if (check) {
    say(
      isCurrent ? `${shown} is up to date` : `${shown} is not what the tool catalog says: run \`lintel lock --types\``,
    );
  } else {
    await writeOutput(file, text);
    say(isCurrent ? `${shown} is unchanged` : `wrote ${shown}`);
  }
  return isCurrent;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`${file}: ${reasonOf(error)}`);
  }
}

function say(text: string): void {
  process.stderr.write(`lintel: ${printable(text)}\n`);
}
