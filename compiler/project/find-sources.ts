import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { createMatcher, findGlobBase, type Project } from '../lint/index.ts';
import {
  type FindOptions,
  type FoundFiles,
  findFiles,
  isFoundByName,
  isPassedOver,
  suggestFile,
} from '../source/find-files.ts';
import { locateValue } from '../source/locate-finding.ts';
import { readText } from '../source/read-text.ts';
import { UsageError } from '../usage-error.ts';
import { PROJECT_FILE } from './find-project-file.ts';

/** The sources of a project. */
type ProjectSources = Pick<
  Project,
  'file' | 'folder' | 'sources' | 'exclude' | 'baseline' | 'baselineFile' | 'catalogFile' | 'texts'
>;

/**
 * The source files of a command: those of its PATH arguments, otherwise those of lintel.yaml. The project's own files are not sources, and
 * neither are excluded files, unless a PATH names them.
 *
 * @param confinedTo a folder that no path and no link may lead out of
 * @throws UsageError for a path or a pattern that leads nowhere, and when there is neither a PATH nor a lintel.yaml with
 *   sources
 */
export function findSources(
  paths: readonly string[],
  project: ProjectSources,
  cwd: string,
  confinedTo?: string,
): FoundFiles {
  const where = { cwd, ...(confinedTo !== undefined && { confinedTo }) };
  const { files, diagnostics } = paths.length > 0 ? findFiles(paths, where) : findNamed(project, where);
  const named = new Set(paths.map(path => resolve(cwd, path)));
  const own = new Set(listOwnFiles(project).map(file => resolve(cwd, file)));
  const isExcluded = createFolderMatcher(project.folder, project.exclude);
  const isSource = (absolute: string) => named.has(absolute) || !(own.has(absolute) || isExcluded(absolute));
  return { files: files.filter(({ absolute }) => absolute === null || isSource(absolute)), diagnostics };
}

/** Whether `findSources` would include a file. */
export function isSource(absolute: string, paths: readonly string[], project: ProjectSources, cwd: string): boolean {
  const isNamed = paths.length === 0 ? createFolderMatcher(project.folder, project.sources ?? []) : isBelow(paths, cwd);
  if (!isNamed(absolute) || !isFoundByName(absolute)) return false;
  const own = listOwnFiles(project).map(file => resolve(cwd, file));
  return !own.includes(absolute) && !createFolderMatcher(project.folder, project.exclude)(absolute);
}

function isBelow(paths: readonly string[], cwd: string): (absolute: string) => boolean {
  const folders = paths.map(path => resolve(cwd, path));
  return absolute =>
    folders.some(folder => absolute.startsWith(`${folder}${sep}`) && isWalked(relative(folder, absolute)));
}

/** Whether walking a folder reaches a path below it. */
function isWalked(below: string): boolean {
  return !dirname(below)
    .split(sep)
    .some(name => name !== '.' && isPassedOver(name));
}

/** The paths to watch for changes of the sources. */
export function listWatchedPaths(paths: readonly string[], project: ProjectSources, cwd: string): readonly string[] {
  const { file, baseline, baselineFile } = project;
  const own = [...(file === undefined ? [] : [file]), ...(baseline === undefined ? [] : [baselineFile])];
  return [...(paths.length > 0 ? paths : listBases(project, cwd)), ...own];
}

/** Describes where sources were searched. */
export function formatSources(paths: readonly string[], { file, sources }: ProjectSources): string {
  return paths.length > 0 ? paths.join(', ') : `the sources of ${file}: ${sources?.join(', ')}`;
}

function findNamed(project: ProjectSources, where: FindOptions): FoundFiles {
  const { folder, sources = [] } = project;
  const found = findFiles(listBases(project, where.cwd), where);
  const matches = createFolderMatcher(folder, sources);
  for (const [index, pattern] of sources.entries()) {
    const isMatch = createFolderMatcher(folder, [pattern]);
    if (!found.files.some(({ absolute }) => absolute !== null && isMatch(absolute)) && found.diagnostics.length === 0)
      throw new UsageError(
        `${formatPlace(project, index)}: no .yaml, .yml or .json file is matched by "${pattern}" of sources`,
      );
  }
  return { ...found, files: found.files.filter(({ absolute }) => absolute !== null && matches(absolute)) };
}

function listBases(project: ProjectSources, cwd: string): readonly string[] {
  const { file, folder, sources } = project;
  if (sources === undefined) {
    const missing = file === undefined ? `there is no ${PROJECT_FILE} that names sources` : `${file} names no sources`;
    const start = file === undefined ? '; "lintel init" and "lintel import" write the first ones' : '';
    throw new UsageError(
      `no PATH is given, and ${missing}: give files or folders, or list "sources" in ${PROJECT_FILE}${start}`,
    );
  }
  return sources.map((pattern, index) => {
    const base = join(folder, findGlobBase(pattern));
    if (!existsSync(base)) {
      const problem = `no such file or folder: "${pattern}" of sources`;
      throw new UsageError(`${formatPlace(project, index)}: ${problem}${suggestSource(folder, findGlobBase(pattern))}`);
    }
    return relative(cwd, base) || '.';
  });
}

/** Where one of the sources is written, such as `lintel.yaml:2:5`. */
function formatPlace({ file, texts }: ProjectSources, index: number): string {
  const source = texts.find(text => text.file === file);
  const document = source && readText(source).documents[0];
  if (document === undefined) return `${file}`;
  const { line, column } = locateValue(document, ['sources', index]).range.start;
  return `${file}:${line}:${column}`;
}

/** The end of a message that names an existing path similar to the first missing part of the path. */
function suggestSource(folder: string, path: string): string {
  const parts = path.split('/');
  const ends = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  const missing = ends.find(part => !existsSync(join(folder, part)));
  return missing === undefined ? '' : suggestFile(missing, resolve(folder, missing));
}

function listOwnFiles({ file, baselineFile, catalogFile }: ProjectSources): readonly string[] {
  return [...(file === undefined ? [] : [file]), baselineFile, catalogFile];
}

function createFolderMatcher(folder: string, patterns: readonly string[]): (absolute: string) => boolean {
  const matchers = patterns.map(createMatcher);
  return absolute => {
    const path = relative(folder, absolute).replaceAll(sep, '/');
    return matchers.some(matches => matches(path));
  };
}
