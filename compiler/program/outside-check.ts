/** Detects files outside of the program's Git repository that links lead to: these are never read. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { findRepository, isWithin } from '../source/path-escape.ts';

/** The end of the message of a finding. */
export const LEADS_OUT = 'the link leads out of the repository';

/**
 * Creates a check of whether a file is outside of the program's repository. Packages may be anywhere, because npm and workspaces link to them.
 * Without a repository nothing is outside.
 *
 * @param entry absolute, without links
 * @returns a function of absolute paths without links
 */
export function createOutsideCheck(entry: string): (file: string) => boolean {
  const repository = findRepository(dirname(entry));
  if (repository === undefined) return () => false;
  const root = realpathSync(repository);
  return file => !isWithin(root, file) && !file.split(/[\\/]/).includes('node_modules') && !isPackaged(file, entry);
}

/** Whether a file belongs to a package that is installed for the program under its own name. */
function isPackaged(file: string, entry: string): boolean {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) return isInstalled(readName(manifest), folder, entry);
  }
  return false;
}

function isInstalled(name: unknown, folder: string, entry: string): boolean {
  if (typeof name !== 'string' || name === '') return false;
  for (let at = dirname(entry); ; at = dirname(at)) {
    const link = join(at, 'node_modules', name);
    if (existsSync(link) && realpathSync(link) === folder) return true;
    if (dirname(at) === at) return false;
  }
}

function readName(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name;
  } catch {
    // An unreadable manifest names no package.
    return undefined;
  }
}

/**
 * The parts of a folder without links that lead out: the folder itself if it has no such link, otherwise the entries besides the links. Node's
 * permission model follows links without any check.
 * @param folder absolute, without links
 */
export function listPartsWithin(folder: string, isOutside: (file: string) => boolean): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const parts = entries.map(entry => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return leadsTo(path, isOutside) ? [] : [path];
    const isSearched = entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git';
    return isSearched ? listPartsWithin(path, isOutside) : [path];
  });
  const isWhole = parts.every(([first, ...more], index) => {
    return first === `${folder}${sep}${entries[index]?.name}` && more.length === 0;
  });
  return isWhole ? [folder] : parts.flat();
}

function leadsTo(link: string, isOutside: (file: string) => boolean): boolean {
  try {
    return isOutside(realpathSync(link));
  } catch {
    // A dangling link may get a target before the program runs.
    return true;
  }
}
