/** Bare repositories that are kept, so that only new objects are fetched. They are a cache: each may be deleted at any time. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '#shared/util';
import { GitError, type GitFailure } from './git-error.ts';
import { Locks, type Wait } from './locks.ts';
import { measureFolder } from './measure-folder.ts';

/** A mirror that was unused for this long is deleted; milliseconds. */
const UNUSED_MS = 7 * 24 * 60 * 60_000;

/** Maximum size of all unused mirrors; bytes. */
const KEPT_BYTES = 768 * 1024 * 1024;

/** Each fetch adds a pack. If there are more than this, they are merged into one, without unreachable objects. */
const MAX_PACKS = 20;

/** Failures that a damaged or oversized mirror can cause. */
const SUSPICIOUS: readonly GitFailure[] = ['failed', 'too_large'];

export interface Mirror {
  /** The absolute path of the bare repository, existing or not. */
  readonly repository: string;
  /** Whether nothing was fetched yet. */
  readonly isNew: boolean;
  /** Whether packs should be merged. */
  isCrowded(): Promise<boolean>;
}

export interface MirrorName {
  readonly url: string;
  /** The owner: objects that were fetched with one owner's credentials are never available to another. */
  readonly owner: string;
  /** Whether it has complete histories: complete and shallow ones are never mixed, because objects behind a boundary seem to be missing. */
  readonly withHistory: boolean;
}

/** A folder of mirrors, which only one process may use. */
export class Mirrors {
  readonly #folder: string;
  readonly #keptBytes: number;
  readonly #locks = new Locks();

  /**
   * @param folder absolute; created when missing
   * @param keptBytes limit on all unused mirrors; beyond it the least recently used ones are deleted
   */
  constructor(folder: string, keptBytes: number = KEPT_BYTES) {
    this.#folder = folder;
    this.#keptBytes = keptBytes;
  }

  /**
   * Works with a mirror exclusively. If the work fails in a way that a damaged mirror could cause, the mirror is deleted and the work is
   * repeated once with a new one.
   *
   * @param wait runs the waiting while another call uses the mirror
   * @throws the error of the work, and the reason of the signal
   */
  async use<T>(name: MirrorName, signal: AbortSignal, work: (mirror: Mirror) => Promise<T>, wait?: Wait): Promise<T> {
    const id = createHash('sha256')
      .update(JSON.stringify([name.owner, name.url, name.withHistory]))
      .digest('hex');
    const folder = join(this.#folder, id.slice(0, 32));
    const use = async () => {
      await this.#makeRoom();
      await makeFolder(folder, { mode: 0o700 });
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
    for (const { folder, usedMs, bytes } of await this.#listIdle()) {
      room -= bytes;
      // The mirror may be in use again.
      if ((usedMs < before || room < 0) && !this.#locks.isHeld(folder))
        await rm(folder, { recursive: true, force: true });
    }
  }

  /** Unused mirrors, most recently used first. */
  async #listIdle(): Promise<readonly { readonly folder: string; readonly usedMs: number; readonly bytes: number }[]> {
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

/** Works with a new mirror; one that was not filled is deleted. */
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

/** Deletes leftovers of a killed fetch: partial packs, and stale locks. */
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
