import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegistryFilterPlan } from '#schemas';
import { type GitOrigin, readGitSource } from './git.ts';
import type { Reader } from './reading.ts';
import { entriesOfSourceText } from './source-text.ts';

/** Reads a source file of a Git repository. The mark is the commit. */
export function gitReader(origin: GitOrigin, filter: RegistryFilterPlan): Reader {
  return async (mark, signal) => {
    const cacheDir = await mkdtemp(join(tmpdir(), 'lintel-git-'));
    try {
      const read = await readGitSource(origin, { signal, cacheDir, known: mark ?? undefined });
      if (read === 'unchanged') return { entries: undefined, mark, note: '' };
      const place = `${origin.path} at ${read.revision}`;
      return { entries: entriesOfSourceText(read.text, filter, place), mark: read.revision, note: '' };
    } finally {
      await rm(cacheDir, { recursive: true, force: true });
    }
  };
}
