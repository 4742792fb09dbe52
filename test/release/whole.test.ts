/** A release of everything that this machine has built: identical twice, and consistent with its content. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagesIn, type Sbom } from '../sbom/sbom.ts';
import { withPeers } from '../support/peers.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { expectWhole, readSums, releaseInto, VERSION } from './released.ts';

const [NPM, CHART, VSIX, SITE] = [
  `lintel-${VERSION}.tgz`,
  `lintel-controller-${VERSION}.tgz`,
  `lintel-${VERSION}.vsix`,
  `lintel-${VERSION}-site.tar.gz`,
] as const;

withPeers('@11ty/eleventy', 'minisearch', 'vscode-languageclient').describe('a release', () => {
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await releaseInto(folder.file('one'), 'npm,chart,vsix,site');
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());

  test('a release contains the npm package, the Helm chart, the VS Code extension and the website', () =>
    expectWhole(folder.file('one'), [NPM, CHART, VSIX, SITE]));

  test('a second build of a release has the same bytes', async () => {
    await releaseInto(folder.file('two'), 'npm,chart,vsix,site');
    expect(readSums(folder.file('two'))).toBe(readSums(folder.file('one')));
  });

  test('a release has a bill of materials with the content of each file', () => {
    const sbom: Sbom = JSON.parse(readFileSync(folder.file(`one/lintel-${VERSION}.cdx.json`), 'utf8'));
    const insideOf = (file: string) => sbom.dependencies.find(({ ref }) => ref === `release:${file}`)?.dependsOn ?? [];
    expect(insideOf(NPM)).toEqual(expect.arrayContaining(['file:lintel.js', 'file:lintel-bridge.js']));
    expect(insideOf(VSIX)).toContain('file:language-server.cjs');
    expect(insideOf(VSIX)).not.toContain('file:lintel-bridge.js');
    expect(insideOf(VSIX).some(ref => ref.startsWith('pkg:npm/vscode-languageclient@'))).toBe(true);
    expect(insideOf(SITE)).toEqual([expect.stringMatching(/^pkg:npm\/minisearch@/)]);
    expect(packagesIn(sbom, 'lintel-commands.js')).toContain('@cedar-policy/cedar-wasm');
  });
});
