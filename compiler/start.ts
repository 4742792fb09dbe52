#!/usr/bin/env node
/** Starts `lintel` with the compiled code that Node cached at an earlier start, which saves a quarter of the time of a short command. */
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';

/** @returns undefined when no folder can be created */
function makeCacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  // The cache is in the user's own folder: other users may write to the folder for temporary files, and cached code runs without a check.
  const home = XDG_CACHE_HOME || (HOME ? join(HOME, '.cache') : LOCALAPPDATA);
  if (!home) return undefined;
  const folders = [home, join(home, 'lintel'), join(home, 'lintel', 'compiled')];
  try {
    // Not with `recursive`: for a path in `/proc`, such a call of Node does not return.
    for (const folder of folders) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch {
    return undefined;
  }
  return folders.at(-1);
}

const folder = makeCacheFolder();
// Node before 22.1 has no such cache.
if (folder !== undefined) module.enableCompileCache?.(folder);

// Imported dynamically, because only modules that are loaded after the cache was enabled use the cache.
const commands = './lintel-commands.js';
await import(commands);
