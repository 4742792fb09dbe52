/** Bare repositories that stay, so that only what is new is fetched. They are a cache: each may go at any time. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitFailure } from './git-error.ts';
import { Locks, type Wait } from './locks.ts';
import { measureFolder } from './measure-folder.ts';

/** A mirror that was unused for so long is deleted; milliseconds. */
const UNUSED_MS = 7 * 24 * 60 * 60_000;

/** All that are kept while another is used; bytes. */
const KEPT_BYTES = 768 * 1024 * 1024;

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
  /** The owner: what was fetched with the credentials of one owner is never shown to another. */
  readonly owner: string;
  /** Whether it has whole histories: these and cut ones are never mixed, since what is cut off looks as if it were not there. */
  readonly withHistory: boolean;
}

/** One process at a time may have a folder of mirrors. */
export class Mirrors {
  readonly #folder: string;
  readonly #keptBytes: number;
  readonly #locks = new Locks();

  /**
   * @param folder absolute; made where it is missing
   * @param keptBytes limit on all mirrors but those in use; beyond it those go that were not used for longest
   */
  constructor(folder: string, keptBytes: number = KEPT_BYTES) {
    this.#folder = folder;
    this.#keptBytes = keptBytes;
  }

  /**
   * Works with a mirror, with exclusive access meanwhile. When that fails in a way that damage could be the cause of, the mirror
   * is thrown away and the work done once more with a new one.
   *
   * @param wait has what waits for another who has the mirror done
   * @throws what the work throws, and the reason of the signal
   */
  async use<T>(name: MirrorName, signal: AbortSignal, work: (mirror: Mirror) => Promise<T>, wait?: Wait): Promise<T> {
    const id = createHash('sha256')
      .update(JSON.stringify([name.owner, name.url, name.withHistory]))
      .digest('hex');
    const folder = join(this.#folder, id.slice(0, 32));
    const use = async () => {
      await this.#makeRoom();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await utimes(folder, new Date(), new Date());
      const repository = join(folder, 'repository.git');
      await removeLeftovers(repository);
      if (!existsSync(repository)) return fill(folder, repository, work);
      try {
        return await work({ repository, isNew: false, isCrowded: () => isCrowded(repository) });
      } catch (error) {
        if (!isSuspicious(error)) throw error;
        await rm(repository, { recursive: true, force: true });
        return fill(folder, repository, work);
      }
    };
    return this.#locks.with(folder, signal, use, wait);
  }

  async #makeRoom(): Promise<void> {
    const before = Date.now() - UNUSED_MS;
    let room = this.#keptBytes;
    for (const { folder, usedMs, bytes } of await this.#idle()) {
      room -= bytes;
      // It may have come into use meanwhile.
      if ((usedMs < before || room < 0) && !this.#locks.isHeld(folder))
        await rm(folder, { recursive: true, force: true });
    }
  }

  /** Mirrors that are unused now, the last used first. */
  async #idle(): Promise<readonly { readonly folder: string; readonly usedMs: number; readonly bytes: number }[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const folders = names.map(name => join(this.#folder, name)).filter(folder => !this.#locks.isHeld(folder));
    const idle = folders.map(async folder => {
      const usedMs = await stat(folder).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      return { folder, usedMs, bytes: await measureFolder(folder).catch(() => 0) };
    });
    return (await Promise.all(idle)).sort((a, b) => b.usedMs - a.usedMs);
  }
}

/** Works with a new one; one that was not filled is none. */
async function fill<T>(folder: string, repository: string, work: (mirror: Mirror) => Promise<T>): Promise<T> {
  try {
    return await work({ repository, isNew: true, isCrowded: () => isCrowded(repository) });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function isSuspicious(error: unknown): boolean {
  return error instanceof GitError && SUSPICIOUS.includes(error.reason);
}

/** What a fetch that was killed has left: half a pack, and locks without a holder. */
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
