/** Writes the files of a commit to disk from its objects: nothing is checked out, so hooks, filters and attributes have no effect. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolders } from './folders.ts';
import { GitError, sanitize } from './git-error.ts';
import { checkLinks, describeCommit, isPassedOver, type TreeFile } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** Maximum data in memory at a time, in bytes, unless one file is larger. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** Number of concurrent writes. */
const WRITERS = 16;

/**
 * Writes files into a new folder, atomically. Files are private to this user, and none is executable.
 *
 * @param folder absolute; an existing folder is replaced
 * @throws GitError `bad_tree` when a link does not lead to one of the files, or a spec is stored in Git LFS
 */
export async function exportFiles(
  workspace: Workspace,
  commit: string,
  files: readonly TreeFile[],
  folder: string,
): Promise<void> {
  const links = files.filter(({ isLink }) => isLink);
  const targets = new Map<string, string>();
  await readEachContent(workspace, links, async (link, bytes) => void targets.set(link.path, bytes.toString('utf8')));
  for (const path of checkLinks(workspace, commit, files, targets)) targets.delete(path);
  const unfinished = `${folder}.${randomUUID()}`;
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    // Parent folders are made before their children.
    for (const below of [...listFolders(files.map(({ path }) => path))].sort())
      await mkdir(join(unfinished, below), { mode: 0o700 });
    await readEachContent(
      workspace,
      files.filter(({ isLink }) => !isLink),
      async ({ path }, bytes) => {
        if (isSpec(path) && isPointer(bytes))
          throw new GitError(
            'bad_tree',
            `${describeCommit(workspace, commit)}, ${sanitize(path)}`,
            'the file is in Git LFS, which is not read; commit the file itself',
          );
        await writeFile(join(unfinished, path), bytes, { mode: 0o600, flag: 'wx' });
      },
    );
    // Links come last, so that nothing is written through one.
    for (const [path, target] of targets) await symlink(target, join(unfinished, path));
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof GitError || code === undefined) throw error;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const remedy = isFull ? 'no space is left; free some space' : 'see whether the folder can be written';
    throw new GitError(
      isFull ? 'no_space' : 'unwritable',
      describeCommit(workspace, commit),
      `its files cannot be written to ${folder} (${code}); ${remedy}`,
    );
  }
}

/** Calls back for each file with its committed bytes. */
async function readEachContent(
  workspace: Workspace,
  files: readonly TreeFile[],
  use: (file: TreeFile, bytes: Buffer) => Promise<void>,
): Promise<void> {
  for (const batch of splitIntoBatches(files)) {
    const expected = batch.reduce((sum, { bytes }) => sum + bytes + HEAD_BYTES, 0);
    const input = batch.map(({ id }) => `${id}\n`).join('');
    const output = await workspace.tryRun(['cat-file', '--batch'], { input, maxBytes: expected });
    if (output.code !== 0) throw workspace.toFailure(output);
    const contents = readBatch(workspace, output.stdout, batch);
    const next = contents.values();
    const writers = Array.from({ length: WRITERS }, async () => {
      for (const { file, bytes } of next) await use(file, bytes);
    });
    // Waits for all writers, even if one fails, so that none of them writes after the folder is removed.
    const failed = (await Promise.allSettled(writers)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}

/** Size of the text around each object, in bytes: id, type and size before it, and a line break after it. */
const HEAD_BYTES = 100;

interface Content {
  readonly file: TreeFile;
  readonly bytes: Buffer;
}

function readBatch(workspace: Workspace, output: Buffer, files: readonly TreeFile[]): Content[] {
  let at = 0;
  return files.map(file => {
    const end = output.indexOf('\n', at);
    const head = output.toString('latin1', at, end);
    if (head !== `${file.id} blob ${file.bytes}`)
      throw new GitError('failed', workspace.remote.url, `an object of it is damaged: git says "${sanitize(head)}"`);
    at = end + 1 + file.bytes + 1;
    return { file, bytes: output.subarray(end + 1, at - 1) };
  });
}

function splitIntoBatches(files: readonly TreeFile[]): TreeFile[][] {
  const batches: TreeFile[][] = [];
  let room = 0;
  for (const file of files) {
    if (file.bytes > room || batches.length === 0) {
      batches.push([]);
      room = BATCH_BYTES;
    }
    batches.at(-1)?.push(file);
    room -= file.bytes;
  }
  return batches;
}

function isSpec(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path) && !isPassedOver(path);
}

function isPointer(bytes: Buffer): boolean {
  return bytes.subarray(0, 64).toString('latin1').startsWith('version https://git-lfs.github.com/spec/');
}
