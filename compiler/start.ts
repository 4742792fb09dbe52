#!/usr/bin/env node
/** Starts `lintel` with what Node compiled of it at an earlier start, which saves a quarter of the time of a short command. */
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

/** @returns undefined where no folder can be made */
function makeCacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  // The user's own folder: another user may write to the one for temporary files, and compiled code is run without a look at it.
  const home = XDG_CACHE_HOME || (HOME ? join(HOME, '.cache') : LOCALAPPDATA);
  if (!home) return undefined;
  const folders = [home, join(home, 'lintel'), join(home, 'lintel', 'compiled')];
  try {
    // Each by itself: Node does not return from making all of a path in `/proc`.
    for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch {
    return undefined;
  }
  return folders.at(-1);
}

const folder = makeCacheFolder();
// Node before 22.1 has no such cache.
if (folder !== undefined) module.enableCompileCache?.(folder);

// A file of its own: only what is loaded after the cache was enabled comes from it.
const commands = './lintel-commands.js';
await import(commands);
