import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { compareText, LOCK_FILE } from '#schemas';
import { describeFileError, findNearest } from '#shared/util';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { UsageError } from '../usage-error.ts';
import { reportUnreadable } from './decode.ts';
import { MAX_FILES } from './limits.ts';
import { findEscape } from './path-escape.ts';
import { listWrittenPaths } from './written-output.ts';

/** A file to read. */
export type FoundFile = {
  /** The path that messages show: relative to the working directory with forward slashes, or absolute if the argument was absolute. */
  readonly path: string;
  /** The path to open; `null` for standard input. */
  readonly absolute: string | null;
  /** Whether the file was an argument, as opposed to found in a folder. */
  readonly isNamed?: true;
};

/** The files of a command, and findings about unreadable folders. */
export type FoundFiles = { readonly files: readonly FoundFile[]; readonly diagnostics: readonly Diagnostic[] };

/** The name of standard input in findings. */
export const STDIN_NAME = '<stdin>';

/** Where to look. */
export type FindOptions = {
  /** The working directory, absolute. */
  readonly cwd: string;
  /**
   * A folder that links must not lead out of. Required for an untrusted folder, such as the controller's checkout of a repository, where a link
   * could lead to a mounted secret. By default links must not lead out of their own Git repository; outside of a repository all links are
   * followed.
   */
  readonly confinedTo?: string;
};

/**
 * The files that PATH arguments stand for. A file argument is included with any name; in a folder and below, files named `.yaml`, `.yml` and `.json`
 * are included; `-` is standard input. Hidden folders and `node_modules` are skipped, and so is what `lintel build` wrote into a subfolder. A file
 * that is reached twice counts once. Sorted by the code units of the displayed path.
 *
 * A folder or link that cannot be followed is LNT1018; more than `MAX_FILES` files are LNT1017.
 *
 * @throws UsageError for an argument that does not exist.
 */
export function findFiles(args: readonly string[], options: FindOptions): FoundFiles {
  const search = new Search(options);
  for (const argument of args) search.addArgument(argument);
  return search.result();
}

const EXTENSION = /\.(?:yaml|yml|json)$/i;

class Search {
  readonly #options: FindOptions;
  readonly #found: { readonly file: FoundFile; readonly real: string }[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  /** Folders already walked, by real path: links may lead in circles. */
  readonly #walked = new Set<string>();
  /** What an earlier build wrote, by absolute path. */
  readonly #written = new Set<string>();
  #isFull = false;

  constructor(options: FindOptions) {
    this.#options = options;
  }

  addArgument(argument: string): void {
    if (argument === '-') {
      this.#found.push({ file: { path: STDIN_NAME, absolute: null, isNamed: true }, real: '-' });
      return;
    }
    const absolute = path.resolve(this.#options.cwd, argument);
    const shown = this.#show(absolute, path.isAbsolute(argument));
    const { confinedTo } = this.#options;
    const refusal = findEscape(absolute, confinedTo);
    if (refusal !== undefined) {
      this.#diagnostics.push(reportUnreadable(shown, refusal));
      return;
    }
    let stats: Stats;
    try {
      stats = statSync(absolute);
    } catch (error) {
      if (readErrorCode(error) === 'ENOENT' || readErrorCode(error) === 'ENOTDIR')
        throw new UsageError(`no such file or folder: ${argument}${formatHint(argument, absolute)}`);
      this.#diagnostics.push(reportUnreadable(shown, describeFileError(error)));
      return;
    }
    this.#visit(absolute, shown, stats.isDirectory() ? 'folder' : 'file', true);
  }

  result(): FoundFiles {
    const byReal = new Map<string, FoundFile>();
    this.#found.sort((a, b) => compareText(a.file.path, b.file.path));
    for (const { file, real } of this.#found) {
      const before = byReal.get(real);
      if (before === undefined) byReal.set(real, file);
      else if (file.isNamed && !before.isNamed) byReal.set(real, { ...before, isNamed: true });
    }
    return { files: [...byReal.values()], diagnostics: this.#diagnostics };
  }

  #visit(absolute: string, shown: string, type: 'file' | 'folder', isNamed = false): void {
    if (this.#isFull) return;
    try {
      const real = realpathSync(absolute);
      const refusal = findEscape(absolute, this.#options.confinedTo);
      if (refusal !== undefined) this.#diagnostics.push(reportUnreadable(shown, refusal));
      else if (type === 'folder') this.#walk(absolute, real, shown, isNamed);
      else this.#add({ path: shown, absolute, ...(isNamed && { isNamed }) }, real);
    } catch (error) {
      if (readErrorCode(error) === undefined) throw error;
      this.#diagnostics.push(reportUnreadable(shown, describeFileError(error)));
    }
  }

  #walk(absolute: string, real: string, shown: string, isNamed: boolean): void {
    if (this.#walked.has(real)) return;
    this.#walked.add(real);
    const entries = readdirSync(absolute, { withFileTypes: true });
    // In a folder that is an argument, the output of a build is read too, so that a message says what the folder contains.
    if (!isNamed) {
      const files = entries.filter(entry => entry.isFile()).map(({ name }) => name);
      for (const written of listWrittenPaths(absolute, files)) this.#written.add(written);
    }
    for (const entry of entries.sort((a, b) => compareText(a.name, b.name))) {
      // The tool lock is not a source, so its size does not count.
      const below = path.join(absolute, entry.name);
      if (entry.name === LOCK_FILE || this.#written.has(below)) continue;
      const belowShown = shown === '.' ? entry.name : `${shown.replace(/\/$/, '')}/${entry.name}`;
      const type = this.#findType(entry, below, belowShown);
      if (type === 'folder' && !isPassedOver(entry.name)) this.#visit(below, belowShown, 'folder');
      if (type === 'file' && EXTENSION.test(entry.name)) this.#visit(below, belowShown, 'file');
    }
  }

  #findType(entry: Dirent, absolute: string, shown: string): 'file' | 'folder' | undefined {
    if (!entry.isSymbolicLink()) return entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : undefined;
    try {
      const stats = statSync(absolute);
      return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : undefined;
    } catch (error) {
      if (EXTENSION.test(entry.name)) this.#diagnostics.push(reportUnreadable(shown, describeFileError(error)));
      return undefined;
    }
  }

  #add(file: FoundFile, real: string): void {
    if (this.#found.length < MAX_FILES) {
      this.#found.push({ file, real });
      return;
    }
    this.#isFull = true;
    const start = { line: 1, column: 1, offset: 0 };
    const location = { file: file.path, pointer: '', range: { start, end: start } };
    const message = `there are more than ${MAX_FILES} files; this one and those after it were not read`;
    this.#diagnostics.push(createDiagnostic('LNT1017', location, message));
  }

  #show(absolute: string, isAbsolute: boolean): string {
    const shown = isAbsolute ? absolute : path.relative(this.#options.cwd, absolute) || '.';
    return shown.replaceAll(path.sep, '/');
  }
}

/** Whether a file in a folder is included. */
export function isFoundByName(file: string): boolean {
  return EXTENSION.test(file) && path.basename(file) !== LOCK_FILE;
}

/** Whether a subfolder is skipped. */
export function isPassedOver(folder: string): boolean {
  return folder.startsWith('.') || folder === 'node_modules';
}

function readErrorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** The path that was probably meant instead of a missing one. */
function formatHint(argument: string, absolute: string): string {
  if (/[*?{]/.test(argument)) {
    return '; a PATH is no pattern: give the folder, or list the pattern in "sources" of lintel.yaml';
  }
  return suggestFile(argument, absolute);
}

/** Similar files in the folder of a missing one, as the end of a message. */
export function suggestFile(argument: string, absolute: string = path.resolve(argument)): string {
  try {
    const names = readdirSync(path.dirname(absolute));
    if (names.includes(path.basename(absolute))) return '; it is a link to a file that does not exist';
    const near = findNearest(path.basename(absolute), names);
    return near === undefined
      ? ''
      : `; did you mean ${path.join(path.dirname(argument), near).replaceAll(path.sep, '/')}?`;
  } catch {
    // The folder is missing as well.
    return '';
  }
}
