/** `lintel build --manifests DIR`: writes the Kubernetes objects of each gateway, server and registry server. */
import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getWorkloadKind } from '#schemas';
import type { Compilation } from '../compile/compilation.ts';
import {
  buildKustomizationFile,
  generateManifests,
  listManifestFiles,
  type ManifestSettings,
} from '../emit/manifests/index.ts';
import { createWriteError } from '../emit/write-error.ts';
import { writeFiles } from '../emit/write-files.ts';
import { findEscape } from '../source/path-escape.ts';
import { KUSTOMIZATION_FILE, listManifests, MANIFEST_HEADER } from '../source/written-output.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Writes the files and `kustomization.yaml`, which lists them, and removes files of an earlier build for objects that are gone. While there are
 * errors nothing is removed: a broken object keeps its last good manifests.
 *
 * @returns the files that are listed now, relative to the folder
 * @throws UsageError when a handwritten file would be overwritten, before anything is written, and when the folder cannot be written
 */
export async function writeManifests(
  folder: string,
  { gateways, servers, registries, embeddingServers, hasErrors }: Compilation,
  settings: ManifestSettings,
): Promise<readonly string[]> {
  const built = [...[...gateways, ...servers].map(({ bundle }) => ({ bundle, files: [] })), ...registries];
  const files = listManifestFiles([
    ...built.flatMap(({ bundle, files }) => {
      if (bundle === null) return [];
      const { namespace, name } = bundle;
      return [
        { kind: getWorkloadKind(bundle), namespace, name, manifests: generateManifests({ bundle, files }, settings) },
      ];
    }),
    ...embeddingServers.map(({ object: { namespace, name }, manifests }) => ({
      ...{ kind: 'embedding' as const, namespace, name, manifests },
    })),
  ]);
  const before = await listFiles(folder);
  const now = new Set(files.map(({ path }) => path));
  const gone = before.filter(path => !now.has(path));
  const listed = hasErrors ? [...now, ...gone] : [...now];
  const all = [...files, buildKustomizationFile(listed)];
  for (const { path } of all) await refuseForeign(folder, path);
  try {
    await writeFiles(folder, all);
    if (!hasErrors) for (const path of gone) await removeOwn(folder, path);
  } catch (error) {
    throw createWriteError(folder, error);
  }
  return listed;
}

/** Existing files that an earlier build wrote. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const listed = listManifests(await readText(join(folder, KUSTOMIZATION_FILE)));
  const found = await Promise.all(listed.map(async path => (await isOwn(folder, path)) && path));
  return found.filter(path => path !== false);
}

async function refuseForeign(folder: string, path: string): Promise<void> {
  const file = join(folder, path);
  const text = await readText(file);
  if (text === undefined || text.startsWith(MANIFEST_HEADER)) return;
  throw new UsageError(
    `cannot write to ${folder}: ${file} was not written by \`lintel build --manifests\`; move it away, or give another folder`,
  );
}

async function isOwn(folder: string, path: string): Promise<boolean> {
  const file = resolve(folder, path);
  // Nothing is removed through a link that leads out of the folder.
  if (findEscape(dirname(file), resolve(folder)) !== undefined) return false;
  return (await readText(file))?.startsWith(MANIFEST_HEADER) === true;
}

async function removeOwn(folder: string, path: string): Promise<void> {
  await rm(join(folder, path));
  // Removes the namespace's folder after its last file.
  await rmdir(dirname(join(folder, path))).catch(() => {});
}

/** The text of a file. Undefined for a missing path or one that is not a file, which writing reports. */
async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
