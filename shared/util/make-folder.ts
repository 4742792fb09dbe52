import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How folders are made. */
export interface FolderOptions {
  /** Permissions of each folder that is made, before the umask; default 0o777. */
  readonly mode?: number;
}

/**
 * Makes a folder and its missing parents; an existing folder is unchanged. Each folder is created separately: Node's own option `recursive` never
 * returns for a path below a folder that accepts no folders, such as `/proc`.
 *
 * @throws the file system's error, with the path in it
 */
export async function makeFolder(path: string, options: FolderOptions = {}): Promise<void> {
  const failed = await tryMakeFolder(path, options);
  const parent = dirname(path);
  if (failed === undefined) return;
  if (failed.code !== 'ENOENT' || parent === path) throw failed;
  await makeFolder(parent, options);
  const failedAgain = await tryMakeFolder(path, options);
  if (failedAgain !== undefined) throw failedAgain;
}

/** @returns the error; undefined when the folder exists now */
async function tryMakeFolder(path: string, options: FolderOptions): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, options);
    return undefined;
  } catch (error) {
    // The system may refuse to create a folder before it checks whether the folder exists, as for `/` and on a read-only file system.
    const exists = await stat(path).then(
      found => found.isDirectory(),
      () => false,
    );
    return exists ? undefined : (error as NodeJS.ErrnoException);
  }
}
