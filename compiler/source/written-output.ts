/** Recognizes what an earlier `lintel build` wrote into a folder. These files are made from specs and are not specs themselves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { INDEX_FILE, isObject } from '#schemas';

/** The folder of the bundles, next to their index. */
export const BUNDLE_FOLDER = 'bundles';

export const KUSTOMIZATION_FILE = 'kustomization.yaml';

/** The first line of every generated manifest. Files without it are not touched. */
export const MANIFEST_HEADER = '# Written by `lintel build --manifests`';

/**
 * The paths that `lintel build` wrote into a folder: its bundles with their index, and the manifests that its kustomization lists.
 *
 * @param files the names of files in the folder, without links
 */
export function listWrittenPaths(folder: string, files: readonly string[]): readonly string[] {
  const bundles =
    files.includes(INDEX_FILE) && isBundleIndex(readText(join(folder, INDEX_FILE))) ? [INDEX_FILE, BUNDLE_FOLDER] : [];
  if (!files.includes(KUSTOMIZATION_FILE)) return bundles.map(path => join(folder, path));
  const manifests = listManifests(readText(join(folder, KUSTOMIZATION_FILE)));
  const own = manifests.filter(path => readText(join(folder, path))?.startsWith(MANIFEST_HEADER));
  const written = manifests.length > 0 ? [KUSTOMIZATION_FILE, ...own] : [];
  return [...bundles, ...written].map(path => join(folder, path));
}

/** Whether a text is the index of bundles. */
export function isBundleIndex(text: string | undefined): boolean {
  try {
    const index: unknown = JSON.parse(text ?? '');
    return isObject(index) && typeof index.formatVersion === 'number' && Array.isArray(index.bundles);
  } catch {
    return false;
  }
}

/** The manifests that a generated kustomization lists, relative to its folder. Empty for a handwritten kustomization. */
export function listManifests(kustomization: string | undefined): readonly string[] {
  if (kustomization?.startsWith(MANIFEST_HEADER) !== true) return [];
  try {
    const { resources } = parse(kustomization) as { readonly resources?: unknown };
    // Only paths that Lintel could have written: a listed path must not lead out of the folder.
    return Array.isArray(resources) ? resources.filter(path => /^[-a-z0-9]+\/[-.a-z0-9]+\.yaml$/.test(path)) : [];
  } catch {
    return [];
  }
}

/** Undefined for an unreadable file, which is reported when the compiler reads it as a source. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
