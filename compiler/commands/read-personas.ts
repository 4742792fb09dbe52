import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareText } from '#schemas';
import { describeFileError } from '#shared/util';
import type { Persona } from '../analysis/access/index.ts';
import { suggestFile } from '../source/find-files.ts';
import { UsageError } from '../usage-error.ts';
import { readJsonObject } from './read-json-object.ts';

/** Maximum number of callers in one matrix. */
export const MAX_PERSONAS = 1_000;

const EXTENSION = '.json';

/**
 * The callers of a folder, sorted by name: each `<name>.json` has the claims of one. Other files are ignored.
 *
 * @throws UsageError for a folder that is unreadable or empty, and for an invalid file
 */
export function readPersonas(folder: string): readonly Persona[] {
  const files = listFiles(folder).filter(file => file.endsWith(EXTENSION) && file !== EXTENSION);
  if (files.length === 0) throw new UsageError(`no callers in ${folder}: each is a file NAME.json with its claims`);
  if (files.length > MAX_PERSONAS) throw new UsageError(`more than ${MAX_PERSONAS} callers in ${folder}`);
  return files
    .map(file => ({ name: file.slice(0, -EXTENSION.length), claims: readJsonObject(join(folder, file), 'claims') }))
    .sort((a, b) => compareText(a.name, b.name));
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'ENOENT') {
      const one = /[/\\]/.test(folder) ? '' : '; for one caller in a word, ask `lintel can`';
      throw new UsageError(`no such folder of callers: ${folder}${suggestFile(folder) || one}`);
    }
    throw new UsageError(
      `${folder}: cannot be read: ${code === 'ENOTDIR' ? 'it is a file; give the folder that holds a file for each caller, or ask `lintel can` about one' : describeFileError(error)}`,
    );
  }
}
