/** The smallest release: one part, with everything that comes with it. `whole.test.ts` builds more of them, twice. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { expectWhole, release, releaseInto, VERSION } from './released.ts';

const CHART = `lintel-controller-${VERSION}.tgz`;

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

test('a release has checksums, a bill of materials and its provenance', async () => {
  await releaseInto(folder.file('one'), 'chart');
  await expectWhole(folder.file('one'), [CHART]);
  const chart = ['-xOf', folder.file(`one/${CHART}`), 'lintel-controller/Chart.yaml'];
  expect(execFileSync('tar', chart, { encoding: 'utf8' })).toContain(`\nversion: ${VERSION}\n`);
});

test.each([
  [['--dry-run', '--publish'], 'nothing can be published: releases are not signed yet (docs/release.md)'],
  [['--only', 'npm,deb'], '--only: there is no part deb; see --help'],
])('`npm run release` refuses the arguments %j', async (args, message) => {
  const outcome = await release(...args);
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expect(outcome.stderr).toContain(message);
});

test('`npm run release -- --help` lists npm, chart, vsix, site, executables and images', async () => {
  const { code, stdout } = await release('--help');
  expect(code).toBe(0);
  for (const part of ['npm', 'chart', 'vsix', 'site', 'executables', 'images'])
    expect(stdout).toContain(`\n                      ${part}`);
  expect(readFileSync(join(ROOT, 'docs/release.md'), 'utf8')).toContain('npm run release');
});
