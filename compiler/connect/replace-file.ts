/** Replaces files of a person: permissions stay, and files of other programs get a backup. */
import { constants } from 'node:fs';
import { chmod, copyFile, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '#shared/util';
import { createWriteError } from '../emit/write-error.ts';

/** New files are readable by their owner only. */
const NEW_MODE = 0o600;

/**
 * Replaces the content of a file atomically.
 *
 * @returns the path of the backup; undefined for a new file
 * @throws UsageError where it cannot be written
 */
export async function replaceWithBackup(file: string, text: string): Promise<string | undefined> {
  try {
    await makeFolder(dirname(file));
    // Users may keep such files elsewhere and link to them.
    const target = await realpath(file).catch(() => file);
    const before = await stat(target).catch(() => undefined);
    const backup = before === undefined ? undefined : await keep(target);
    const mode = before === undefined ? NEW_MODE : before.mode & 0o777;
    await replace(target, text, mode);
    return backup;
  } catch (error) {
    throw createWriteError(file, error);
  }
}

/**
 * Replaces the content of a regular file atomically; its permissions stay.
 * @throws the file system's error
 */
export async function replaceText(file: string, text: string): Promise<void> {
  const { mode } = await stat(file);
  await replace(file, text, mode & 0o777);
}

async function keep(file: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const backup = `${file}.backup${number === 1 ? '' : `-${number}`}`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function replace(target: string, text: string, mode: number): Promise<void> {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await using file = await open(temporary, 'wx', mode);
    await file.writeFile(text);
    await file.sync();
    // Explicitly, because the umask of the process applies at creation.
    await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
