import { closeSync, type Dirent, openSync, readdirSync, readSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Maximum number of folder entries to search, and bytes to read of each file: imports are at the top. */
const MAX_ENTRIES = 50_000;
const HEAD_BYTES = 16_384;
/** Maximum number of reported programs. */
const MAX_PROGRAMS = 20;

const SOURCE = /(?<!\.d)\.[cm]?tsx?$/;
const IMPORT = /\b(?:from|import|require\()\s*['"](?:cdk8s|cdk8s-plus-\d+|lintel)(?:\/[^'"]*)?['"]/;

/**
 * TypeScript programs below a folder that seem to generate specs. Only their beginning is read, and they never run, so their output is unknown
 * here. Relative to the folder, sorted; links are not followed.
 */
export function findPrograms(tree: string, path: string): readonly string[] {
  const root = resolve(tree, path);
  const found: string[] = [];
  const folders = [root];
  let remaining = MAX_ENTRIES;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of listEntries(folder)) {
      remaining -= 1;
      if (remaining < 0 || found.length >= MAX_PROGRAMS) return found.sort();
      const file = join(folder, entry.name);
      if (entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name)) folders.push(file);
      if (entry.isFile() && SOURCE.test(entry.name) && IMPORT.test(readHead(file))) found.push(relative(root, file));
    }
  }
  return found.sort();
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A file that cannot be read is not reported here: reading the sources reports it.
    return [];
  }
}

function readHead(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.toString('utf8', 0, readSync(descriptor, head));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
