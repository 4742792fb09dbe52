import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Total size of all files below a folder, in bytes. Files may appear and disappear meanwhile. */
export async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async entry =>
    entry.isFile()
      ? stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        )
      : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
