/**
 * Pairs specs and tests, which are in the same folder. A single test file applies to the specs of its folder, and a single spec file or program
 * is tested by the tests of its folder.
 */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Project } from '../lint/index.ts';
import { findSources } from '../project/index.ts';
import { type FoundFile, STDIN_NAME } from '../source/find-files.ts';
import { isTestFileName } from './test-file.ts';

export type FoundTest = FoundFile & { readonly absolute: string };

/** The PATH arguments of the specs. */
export function listSpecPaths(paths: readonly string[]): readonly string[] {
  const others = paths.filter(path => !isTestFileName(path));
  return others.length > 0 ? others : [...new Set(paths.map(path => dirname(path)))];
}

/**
 * The test files: the named ones, otherwise those next to the specs.
 *
 * @throws UsageError for a path that does not exist
 */
export function findTests(paths: readonly string[], project: Project, cwd: string): readonly FoundTest[] {
  const named = paths.filter(isTestFileName);
  const locations = named.length > 0 ? named : paths.flatMap(listTestPlaces);
  if (paths.length > 0 && locations.length === 0) return [];
  return findSources(locations, project, cwd).files.flatMap(file => {
    const { absolute } = file;
    return absolute !== null && isTestFileName(file.path) ? [{ ...file, absolute }] : [];
  });
}

function listTestPlaces(path: string): readonly string[] {
  if (path === '-' || path === STDIN_NAME) return [];
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [path];
  const folder = dirname(path);
  return readdirSync(folder)
    .filter(isTestFileName)
    .map(name => join(folder, name));
}
