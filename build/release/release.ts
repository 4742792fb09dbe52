/** Writes all files of a release into a folder. The same commit, programs and packages give the same bytes. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShippedFile } from '../contents.ts';
import { generateSbom, type ReleasedFile } from '../sbom.ts';
import { readReleaseNotes } from './changelog.ts';
import type { MadeFile, ReleasePart } from './parts.ts';
import { generateProvenance, type Material } from './provenance.ts';
import { readPackages, readShippedFiles } from './shipped-files.ts';
import { formatSums, hashFile } from './sums.ts';

export interface ReleaseOptions {
  readonly root: string;
  readonly version: string;
  readonly folder: string;
  readonly parts: readonly ReleasePart[];
  readonly isOnDebian: boolean;
  /** The URI of the builder. */
  readonly builder: string;
  /** Whether files differ from the commit. */
  readonly isDirty: boolean;
  readonly logStep: (line: string) => void;
}

/** @returns digests by the names of the files, in the order of the checksums */
export async function makeRelease(options: ReleaseOptions): Promise<ReadonlyMap<string, string>> {
  const { root, version, folder, parts, isOnDebian, builder, isDirty, logStep } = options;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const digests = new Map<string, string>();
  const note = async (name: string) => {
    digests.set(name, await hashFile(join(folder, name)));
    logStep(name);
  };
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    await note(name);
  };
  const made: MadeFile[] = [];
  for (const part of parts) {
    const files = await part.make({ root, version, folder, isOnDebian });
    for (const { name } of files) await note(name);
    made.push(...files);
  }
  const built = new Map(digests);
  await write(`lintel-${version}.cdx.json`, await generateReleaseSbom(root, made, built));
  const notes = readReleaseNotes(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`);
  await write('RELEASE-NOTES.md', notes.text);
  const origin = {
    parameters: { version, parts: parts.map(({ name }) => name), ...(isOnDebian && { bases: 'debian' }) },
    materials: await collectMaterials(root, isDirty),
    builder,
    programs: { node: process.versions.node, npm: execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim() },
  };
  await write(`lintel-${version}.intoto.json`, generateProvenance(digests, origin));
  await writeFile(join(folder, 'SHA256SUMS'), formatSums(digests));
  logStep('SHA256SUMS');
  return digests;
}

async function generateReleaseSbom(
  root: string,
  made: readonly MadeFile[],
  digests: ReadonlyMap<string, string>,
): Promise<string> {
  const shipped = await readShippedFiles(root);
  const node = { version: process.versions.node, sha256: await hashFile(process.execPath) };
  const released = made.map(async ({ name, paths, packages = [], hasNode = false }): Promise<ReleasedFile> => {
    const files = shipped.filter(file => isIn(file, paths)).map(file => file.name);
    const sha256 = digests.get(name) ?? '';
    return { name, sha256, files, packages: await readPackages(root, packages), ...(hasNode && { node }) };
  });
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return generateSbom(manifest, shipped, await Promise.all(released));
}

function isIn({ name }: ShippedFile, paths: readonly string[]): boolean {
  const path = `dist/${name}`;
  return paths.some(value => value === path || path.startsWith(`${value}/`));
}

/** The commit, and the files that pin all packages. */
async function collectMaterials(root: string, isDirty: boolean): Promise<readonly Material[]> {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return [
    {
      name: 'source',
      digest: { gitCommit: git('rev-parse', 'HEAD') },
      // Uncommitted files cannot be built again.
      ...(isDirty && { annotations: { changed: 'files differ from the commit' } }),
    },
    { name: 'package-lock.json', digest: { sha256: await hashFile(join(root, 'package-lock.json')) } },
  ];
}
