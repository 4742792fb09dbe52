/**
 * Builds `dist/` if an input of the build is newer than it. npm runs this as `prepare`: at `npm ci`, and each time that `npx lintel` starts in
 * this folder, where a build would make the caller wait and would replace `dist/` under a gateway that runs from it. So do scripts of tests.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import rooms from './build/rooms.json' with { type: 'json' };

/** Written last but for the declarations, and by each build. */
const BUILT = 'dist/types-commonjs/package.json';

const FILES = ['build.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
/** Examples are no part of what is built. */
const FOLDERS = ['build', ...Object.keys(rooms).filter(room => room !== 'examples')];

/** When the file was written, in milliseconds since 1970; 0 if it does not exist. */
const writtenAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** A folder's own time moves when a file in it is removed or renamed. */
async function inputs(): Promise<string[]> {
  const trees = FOLDERS.map(async folder => [
    folder,
    ...(await readdir(folder, { recursive: true })).map(name => join(folder, name)),
  ]);
  return [...FILES, ...(await Promise.all(trees)).flat()];
}

const built = await writtenAt(BUILT);
const times = built === 0 ? [] : await Promise.all((await inputs()).map(writtenAt));
if (built === 0 || times.some(time => time > built)) await import('./build.ts');
