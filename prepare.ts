/**
 * Builds `dist/` if an input of the build is newer than it. npm runs this as `prepare`: at `npm ci`, and each time that `npx lintel` starts in
 * this folder, where a build makes the caller wait and replaces `dist/` under a gateway that runs from it. So do scripts of tests.
 */
import { openSync, writeSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import rooms from './build/rooms.json' with { type: 'json' };

/** A person waits for a program, and for nothing else that is built. */
const isOfNpx = process.env.npm_command === 'exec';

/** Written by each build, at the end of what is asked for here. */
const BUILT = isOfNpx ? 'dist/THIRD-PARTY-NOTICES.txt' : 'dist/types-commonjs/package.json';

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
if (built === 0 || times.some(time => time > built)) {
  if (isOfNpx) {
    process.env.LINTEL_BUILD = 'programs';
    tellTerminal('lintel: sources are newer than the programs, which are built first …');
  }
  await import('./build.ts');
}

/** npx shows nothing of what scripts write, on either stream. */
function tellTerminal(text: string): void {
  try {
    // Over what npm shows while it waits.
    writeSync(openSync('/dev/tty', 'w'), `\r${text}\n`);
  } catch {
    // No terminal, or a system without this way to it.
  }
}
