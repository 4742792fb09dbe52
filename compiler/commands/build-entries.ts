import { join } from 'node:path';
import { INDEX_FILE, isObject } from '#schemas';
import { MAX_CATALOG_BYTES } from '../source/limits.ts';
import { UsageError } from '../usage-error.ts';
import { readJsonObject } from './read-json-object.ts';

/** A bundle in the index of a folder that `lintel build` wrote. */
export interface BuildEntry {
  readonly kind: unknown;
  readonly namespace: unknown;
  readonly name: unknown;
  /** The folder of the bundle, relative to the folder of the build. */
  readonly path: string;
  readonly digest: string | undefined;
}

/**
 * @returns undefined when `lintel build` did not write the index
 * @throws UsageError for an index that names a bundle outside of its folder
 */
export function readBuildEntries(folder: string): readonly BuildEntry[] | undefined {
  const file = join(folder, INDEX_FILE);
  const { bundles, servers = [] } = readJsonObject(file, 'bundles', MAX_CATALOG_BYTES);
  if (!Array.isArray(bundles) || !Array.isArray(servers)) return undefined;
  const entries: readonly unknown[] = [...bundles, ...servers];
  if (!entries.every(isEntry)) return undefined;
  return entries.map(({ kind, namespace, name, path, digest }) => {
    // The index is untrusted: it must not name files outside of the folder.
    if (path.split('/').includes('..') || path.startsWith('/'))
      throw new UsageError(`${file}: names a bundle outside of its folder: ${path}`);
    return { kind, namespace, name, path, digest: typeof digest === 'string' ? digest : undefined };
  });
}

function isEntry(value: unknown): value is Record<string, unknown> & { readonly path: string } {
  return isObject(value) && typeof value.path === 'string';
}
