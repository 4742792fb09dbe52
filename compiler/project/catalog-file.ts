/** Finds and reads the tool lock. */

import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type CatalogLock, LOCK_FILE } from '#schemas';
import { describeFileError } from '#shared/util';
import { type Catalog, createCatalog, EMPTY_LOCK, readCatalog } from '../analysis/catalog/index.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Project } from '../lint/index.ts';
import { decode, reportTooLarge, reportUnreadable } from '../source/decode.ts';
import { MAX_CATALOG_BYTES } from '../source/limits.ts';
import { findEscape, isWithin } from '../source/path-escape.ts';
import { readBytes } from '../source/read-bytes.ts';
import type { SourceText } from '../source/source-text.ts';
import { UsageError } from '../usage-error.ts';
import { findFirst, findNearestToPaths, listFoldersAbove } from './nearest-file.ts';

/**
 * The absolute path of the catalog: the named file, otherwise the project's. Without a configuration it is the nearest one to the paths,
 * otherwise to the working directory, otherwise a new one in the working directory.
 *
 * @param confinedTo a folder above which none is searched
 * @throws UsageError when two paths have different catalogs
 */
export function resolveCatalogFile(
  named: string | undefined,
  project: Pick<Project, 'file' | 'catalogFile'>,
  paths: readonly string[],
  cwd: string,
  confinedTo?: string,
): string {
  if (named !== undefined) return path.resolve(cwd, named);
  if (project.file !== undefined) return path.resolve(cwd, project.catalogFile);
  const here = path.resolve(cwd);
  const nearest =
    findNearestToPaths(paths, here, lockIn, '--catalog, or with --out of lock', confinedTo) ??
    findFirst(listFoldersAbove(here, confinedTo), lockIn);
  return nearest ?? path.join(here, LOCK_FILE);
}

/**
 * Whether the catalog that these paths get by default belongs to them: it is at or above the paths, or their configuration names it.
 * Otherwise it is the working directory's catalog, which says nothing about specs from elsewhere.
 */
export function hasOwnCatalog(
  project: Pick<Project, 'file' | 'catalogFile'>,
  paths: readonly string[],
  cwd: string,
): boolean {
  const folders = [
    resolveCatalogFile(undefined, project, paths, cwd),
    ...(project.file === undefined ? [] : [project.file]),
  ].map(file => path.dirname(path.resolve(cwd, file)));
  return paths.every(each => each === '-' || folders.some(folder => isWithin(folder, path.resolve(cwd, each))));
}

function lockIn(folder: string): string | undefined {
  const file = path.join(folder, LOCK_FILE);
  return existsSync(file) ? file : undefined;
}

export interface LoadedCatalog {
  readonly catalog: Catalog;
  readonly lock: CatalogLock;
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined for an unreadable file. */
  readonly source: SourceText | undefined;
}

/** `lintel dev` compiles often, and the catalog rarely changes, so its digests are computed once. */
let last: { readonly shown: string; readonly bytes: Buffer; readonly loaded: LoadedCatalog } | undefined;

/**
 * The content of the file; undefined when there is none. Every mistake becomes a diagnostic.
 * @param confinedTo a folder that links must not lead out of
 */
export function loadCatalog(file: string, cwd: string, confinedTo?: string): LoadedCatalog | undefined {
  const shown = formatPath(file, cwd);
  const broken = (diagnostic: Diagnostic): LoadedCatalog => ({
    catalog: createCatalog(shown, EMPTY_LOCK, false),
    lock: EMPTY_LOCK,
    diagnostics: [diagnostic],
    source: undefined,
  });
  const refusal = findEscape(file, confinedTo);
  if (refusal !== undefined) return broken(reportUnreadable(shown, refusal));
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    const bytes = readBytes(file, MAX_CATALOG_BYTES);
    if (bytes === undefined) return broken(reportTooLarge(shown, MAX_CATALOG_BYTES));
    if (last?.shown === shown && last.bytes.equals(bytes)) return last.loaded;
    const decoded = decode(shown, bytes, MAX_CATALOG_BYTES);
    if ('diagnostic' in decoded) return broken(decoded.diagnostic);
    const loaded = { ...readCatalog(decoded.source), ...decoded };
    last = { shown, bytes, loaded };
    return loaded;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return broken(reportUnreadable(shown, describeFileError(error)));
  }
}

/**
 * The catalog for a compilation.
 * @throws UsageError when an option or `lintel.yaml` names a missing file
 */
export function requireCatalog(
  named: string | undefined,
  project: Pick<Project, 'file' | 'catalogFile' | 'isCatalogNamed'>,
  paths: readonly string[],
  cwd: string,
  confinedTo?: string,
): LoadedCatalog | undefined {
  const loaded = loadCatalog(resolveCatalogFile(named, project, paths, cwd, confinedTo), cwd, confinedTo);
  if (loaded !== undefined) return loaded;
  const hint = '`lintel lock` writes it';
  if (named !== undefined) throw new UsageError(`no such tool lock: ${named}; ${hint}`);
  if (project.isCatalogNamed) {
    throw new UsageError(`${project.file}: no such tool lock: ${project.catalogFile}; ${hint}`);
  }
  return undefined;
}

/** The path relative to the working directory, with forward slashes, so that output does not depend on the location of a checkout. */
export function formatPath(file: string, cwd: string): string {
  return path.relative(cwd, file).replaceAll(path.sep, '/');
}
