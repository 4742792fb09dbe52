import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OutputFile } from './bundle-files.ts';

/**
 * Writes files in their order, each whole or not at all: to a temporary name beside it, flushed, then renamed. A file that
 * already holds the same bytes is left alone.
 *
 * @throws the file system's error, with the path in its message
 */
export async function writeFiles(folder: string, files: readonly OutputFile[]): Promise<void> {
  for (const { path, text } of files) {
    const target = join(folder, path);
    if ((await readFile(target, 'utf8').catch(() => undefined)) === text) continue;
    await mkdir(dirname(target), { recursive: true });
    await replaceFile(target, text);
  }
}

async function replaceFile(target: string, text: string): Promise<void> {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    const handle = await open(temporary, 'w');
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
