/**
 * Builds `dist/` if an input of the build is newer than it. npm runs this as `prepare`: at `npm ci`, and each time that `npx lintel` starts in
 * this folder, where a build makes the caller wait and replaces `dist/` under a gateway that runs from it. Test scripts run it as well.
 */
import { openSync, writeSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import rooms from './build/rooms.json' with { type: 'json' };

/** A person waits for a program; nothing else needs to be built. */
const isOfNpx = process.env.npm_command === 'exec';

/** Written at the end of each build of the requested part. */
const BUILT = isOfNpx ? 'dist/THIRD-PARTY-NOTICES.txt' : 'dist/types-commonjs/package.json';

const FILES = ['build.ts', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
/** Examples are not part of the build. */
const FOLDERS = ['build', ...Object.keys(rooms).filter(room => room !== 'examples')];

/** When the file was written, in milliseconds since 1970; 0 if it does not exist. */
const writtenAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** Removing or renaming a file changes the time of its folder. */
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
    writeToTerminal('lintel: sources are newer than the programs, which are built first …');
  }
  await import('./build.ts');
}

/** npx hides the output of scripts, on both streams. */
function writeToTerminal(text: string): void {
  try {
    // Overwrites npx' progress display.
    writeSync(openSync('/dev/tty', 'w'), `\r${text}\n`);
  } catch {
    // There is no terminal, or the system has no such device.
  }
}
