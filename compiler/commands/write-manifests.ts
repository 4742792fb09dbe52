/** `lintel build --manifests DIR`: the objects of each gateway, server and registry server as files that a cluster takes. */
import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { getWorkloadKind } from '#schemas';
import type { Compilation } from '../compile/compilation.ts';
import { cannotWrite } from '../emit/cannot-write.ts';
import {
  generateManifests,
  KUSTOMIZATION_FILE,
  kustomizationFile,
  MANIFEST_HEADER,
  type ManifestSettings,
  manifestFiles,
} from '../emit/manifests/index.ts';
import { writeFiles } from '../emit/write-files.ts';
import { findEscape } from '../source/path-escape.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Writes the files and `kustomization.yaml`, which lists them, and removes those that it wrote earlier for what is gone. While
 * there are errors nothing is removed: what is broken now stays as it was last good.
 *
 * @returns the files that are listed now, relative to the folder
 * @throws UsageError when a file that is not generated is in the way, before anything is written, and when the folder cannot be written
 */
export async function writeManifests(
  folder: string,
  { gateways, servers, registries, embeddingServers, hasErrors }: Compilation,
  settings: ManifestSettings,
): Promise<readonly string[]> {
  const built = [...[...gateways, ...servers].map(({ bundle }) => ({ bundle, files: [] })), ...registries];
  const files = manifestFiles([
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
  const before = await listedFiles(folder);
  const now = new Set(files.map(({ path }) => path));
  const gone = before.filter(path => !now.has(path));
  const listed = hasErrors ? [...now, ...gone] : [...now];
  const all = [...files, kustomizationFile(listed)];
  for (const { path } of all) await refuseForeign(folder, path);
  try {
    await writeFiles(folder, all);
    if (!hasErrors) for (const path of gone) await removeOwn(folder, path);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  return listed;
}

/** The files that an earlier build wrote, as far as they are there. */
async function listedFiles(folder: string): Promise<readonly string[]> {
  const text = await readText(join(folder, KUSTOMIZATION_FILE));
  if (text?.startsWith(MANIFEST_HEADER) !== true) return [];
  const listed = resourcesIn(text);
  const found = await Promise.all(listed.map(async path => (await isOwn(folder, path)) && path));
  return found.filter(path => path !== false);
}

function resourcesIn(kustomization: string): readonly string[] {
  try {
    const { resources } = parse(kustomization) as { readonly resources?: unknown };
    // Only such as we write: nothing that is listed leads out of the folder.
    return Array.isArray(resources) ? resources.filter(path => /^[-a-z0-9]+\/[-.a-z0-9]+\.yaml$/.test(path)) : [];
  } catch {
    return [];
  }
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
  // What lies behind a link that leads out is not removed either.
  if (findEscape(dirname(file), resolve(folder)) !== undefined) return false;
  return (await readText(file))?.startsWith(MANIFEST_HEADER) === true;
}

async function removeOwn(folder: string, path: string): Promise<void> {
  await rm(join(folder, path));
  // Its namespace's folder, when that was the last file.
  await rmdir(dirname(join(folder, path))).catch(() => {});
}

/** Undefined for what is not there or is no file, which writing will tell. */
async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
