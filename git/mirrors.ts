/** Bare repositories that stay, so that only what is new is fetched. They are a cache: each may go at any time. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitFailure } from './git-error.ts';
import { Locks } from './locks.ts';

/** A mirror that nobody wanted for so long goes; milliseconds. */
const UNUSED_MS = 7 * 24 * 60 * 60_000;

/** Each fetch adds a pack; beyond so many they are made into one, and what no ref leads to is left out. */
const MAX_PACKS = 20;

/** Failures that a damaged or overgrown mirror can be the cause of. */
const SUSPICIOUS: readonly GitFailure[] = ['failed', 'too_large'];

export interface Mirror {
  /** The bare repository, whether it is there already or not; absolute. */
  readonly repository: string;
  /** Nothing was fetched before. */
  readonly isNew: boolean;
  /** Whether it is time to make one pack of many. */
  isCrowded(): Promise<boolean>;
}

export interface MirrorName {
  readonly url: string;
  /** Whose it is: what was fetched with the credentials of one is never shown to another. */
  readonly owner: string;
  /** Whether it has whole histories: these and cut ones are never mixed, since what is cut off looks as if it were not there. */
  readonly withHistory: boolean;
}

/** One process at a time may have a folder of mirrors. */
export class Mirrors {
  readonly #folder: string;
  readonly #locks = new Locks();

  /** @param folder absolute; made where it is missing */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Works with a mirror, which nobody else does meanwhile. When that fails in a way that damage could be the cause of, the mirror
   * is thrown away and the work done once more with a new one.
   *
   * @throws what the work throws, and the reason of the signal
   */
  async use<T>(name: MirrorName, signal: AbortSignal, work: (mirror: Mirror) => Promise<T>): Promise<T> {
    const id = createHash('sha256')
      .update(JSON.stringify([name.owner, name.url, name.withHistory]))
      .digest('hex');
    const folder = join(this.#folder, id.slice(0, 32));
    return this.#locks.with(folder, signal, async () => {
      await this.#removeUnused();
      const repository = join(folder, 'repository.git');
      const isNew = !existsSync(repository);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await utimes(folder, new Date(), new Date());
      await removeLeftovers(repository);
      const mirror = { repository, isCrowded: () => isCrowded(repository) };
      try {
        return await work({ ...mirror, isNew });
      } catch (error) {
        // A new one that was not filled is none.
        if (isNew || isSuspicious(error)) await rm(folder, { recursive: true, force: true });
        if (isNew || !isSuspicious(error)) throw error;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        return await work({ ...mirror, isNew: true });
      }
    });
  }

  async #removeUnused(): Promise<void> {
    const before = Date.now() - UNUSED_MS;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const folder = join(this.#folder, name);
      const used = await stat(folder).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      if (used < before && !this.#locks.isHeld(folder)) await rm(folder, { recursive: true, force: true });
    }
  }
}

function isSuspicious(error: unknown): boolean {
  return error instanceof GitError && SUSPICIOUS.includes(error.reason);
}

/** What a fetch that was killed has left: half a pack, and locks that nobody holds any more. */
async function removeLeftovers(repository: string): Promise<void> {
  for (const entry of await readdir(repository, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile() || !(entry.name.startsWith('tmp_') || entry.name.endsWith('.lock'))) continue;
    await rm(join(entry.parentPath, entry.name), { force: true });
  }
}

async function isCrowded(repository: string): Promise<boolean> {
  const files = await readdir(join(repository, 'objects/pack')).catch(() => []);
  return files.filter(name => name.endsWith('.pack')).length > MAX_PACKS;
}
