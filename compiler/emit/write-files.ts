import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '#shared/util';
import { findEscape } from '../source/path-escape.ts';
import type { OutputFile } from './bundle-files.ts';

/**
 * Writes files in order, each atomically: to a temporary file next to it, flushed, then renamed. A file with the same content is not touched. A
 * link in the place of a file is replaced, and a linked folder must not lead out of the given one: the content of the folder must not decide
 * where files are written.
 *
 * @throws the file system's error, with the path in its message, and an error for a link that leads out of the folder
 */
export async function writeFiles(folder: string, files: readonly OutputFile[]): Promise<void> {
  await makeFolder(folder);
  for (const { path, text } of files) {
    const target = join(folder, path);
    if (findEscape(resolve(dirname(target)), resolve(folder)) !== undefined) {
      throw new Error(
        `${dirname(target)} is behind a link that leads out of the folder; remove the link, or give another folder`,
      );
    }
    if (await holds(target, text)) continue;
    await makeFolder(dirname(target));
    await replaceFile(target, text);
  }
}

async function holds(target: string, text: string): Promise<boolean> {
  const stats = await lstat(target).catch(() => undefined);
  return stats?.isFile() === true && (await readFile(target, 'utf8').catch(() => undefined)) === text;
}

async function replaceFile(target: string, text: string): Promise<void> {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await rm(temporary, { force: true });
    // Never opens an existing link of that name.
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
