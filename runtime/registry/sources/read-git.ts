import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegistryFilterPlan } from '#schemas';
import { getFileErrorCode } from '../../bundle/file-bytes.ts';
import { type GitOrigin, readGitSource } from './read-git-source.ts';
import { type Reader, ReadingError } from './reading.ts';
import { readSourceText } from './source-text.ts';

/**
 * Creates the reader of a source file in a Git repository. The mark is the commit.
 *
 * @param folder the folder for repositories while they are read; undefined for the system's folder for temporary files
 */
export function createGitReader(origin: GitOrigin, filter: RegistryFilterPlan, folder: string | undefined): Reader {
  return async (mark, signal) => {
    // The system's temporary folder gets a subfolder with a unique name, because other users could otherwise create it first.
    const own = folder === undefined ? await mkdtemp(join(tmpdir(), 'lintel-git-')).catch(throwUnusable) : undefined;
    try {
      const cacheDir = own ?? (folder as string);
      const read = await readGitSource(origin, { signal, cacheDir, known: mark ?? undefined }).catch(throwUnusable);
      if (read === 'unchanged') return { entries: undefined, mark };
      const location = `${origin.path} at ${read.revision}`;
      return { ...(await readSourceText(read.text, filter, location, signal)), mark: read.revision };
    } finally {
      if (own !== undefined) await rm(own, { recursive: true, force: true });
    }
  };
}

/** Converts errors of the file system to errors for operators, and throws all other errors again. */
function throwUnusable(error: NodeJS.ErrnoException): never {
  if (error.syscall === undefined) throw error;
  throw new ReadingError(error.path ?? 'the folder of repositories', `cannot be used (${getFileErrorCode(error)})`);
}
