/** A release in a folder, made by the program of `npm run release`, and what must be true of it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { hashFile } from '../../build/release/sums.ts';
import { type Sbom, sbomValidator } from '../sbom/sbom.ts';
import { type Outcome, ROOT, run } from '../support/process.ts';

export const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

export function release(...args: readonly string[]): Promise<Outcome> {
  return run(join(ROOT, 'build/release/main.ts'), args, {
    nodeOptions: ['--conditions=lintel-source'],
    limitMs: 280_000,
  });
}

/** Makes a release from the current `dist/`, even if it differs from the commit. */
export async function releaseInto(folder: string, parts: string): Promise<void> {
  const made = await release('--no-build', '--allow-changes', '--only', parts, '--out', folder);
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was published\n') });
}

export const readSums = (folder: string): string => readFileSync(join(folder, 'SHA256SUMS'), 'utf8');

/** Checks everything except the content of a part. */
export async function expectWhole(folder: string, parts: readonly string[]): Promise<void> {
  const [sbomFile, notes, provenance] = [
    `lintel-${VERSION}.cdx.json`,
    'RELEASE-NOTES.md',
    `lintel-${VERSION}.intoto.json`,
  ];
  expect(readdirSync(folder).sort()).toEqual([...parts, sbomFile, notes, provenance, 'SHA256SUMS'].sort());
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' });
  const summed = readSums(folder)
    .trim()
    .split('\n')
    .map(line => line.split('  ')[1]);
  expect(summed).toEqual([...parts, sbomFile, notes, provenance]);

  const sbom: Sbom = JSON.parse(readFileSync(join(folder, sbomFile), 'utf8'));
  const validate = sbomValidator();
  validate(sbom);
  expect(validate.errors).toBeNull();
  for (const name of parts) {
    const component = sbom.components.find(one => one['bom-ref'] === `release:${name}`);
    expect(component?.hashes).toEqual([{ alg: 'SHA-256', content: await hashFile(join(folder, name)) }]);
  }

  const statement = JSON.parse(readFileSync(join(folder, provenance), 'utf8'));
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: { externalParameters: { version: VERSION } },
      runDetails: { builder: { id: expect.stringMatching(/^tag:/), version: { node: process.versions.node } } },
    },
  });
  expect(statement.subject).toEqual(
    await Promise.all(
      [...parts, sbomFile, notes].map(async name => ({ name, digest: { sha256: await hashFile(join(folder, name)) } })),
    ),
  );
  const [source, lock] = statement.predicate.buildDefinition.resolvedDependencies;
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  expect(source.digest).toEqual({ gitCommit: commit });
  expect(lock.digest).toEqual({ sha256: await hashFile(join(ROOT, 'package-lock.json')) });
}
