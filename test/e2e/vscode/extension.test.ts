/**
 * The extension in the `.vsix` with a real language client and server, in a simulated extension host; `real-editor.test.ts` uses VS Code's own.
 */
import { statSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { VERSION } from '#schemas';
import { withPeers } from '../../support/peers.ts';
import { eventually, temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';
import { type Installed, inSpecs, installVsix, listServerProcesses } from './installed.ts';
import { TestHost } from './test-host.ts';

withPeers('vscode-languageclient').describe('the extension', () => {
  let installed: Installed;

  beforeAll(async () => {
    installed = await installVsix();
    return async () => await installed[Symbol.asyncDispose]();
  });

  test('the VS Code extension contains only needed files', async () => {
    expect(statSync(installed.file).size).toBeLessThan(3_500_000);
    const paths = [...installed.files.keys()].filter(path => !/diagnostics\/codes\/LNT\d+-[\w-]+\.md$/.test(path));
    expect(paths).toEqual([
      'extension.vsixmanifest',
      '[Content_Types].xml',
      'extension/package.json',
      'extension/extension.cjs',
      'extension/THIRD-PARTY-NOTICES.txt',
      'extension/README.md',
      'extension/CHANGELOG.md',
      'extension/LICENSE.txt',
      'extension/server/package.json',
      'extension/server/dist/lintel.js',
      'extension/server/dist/lintel-commands.js',
      'extension/server/dist/language-server.cjs',
      'extension/server/dist/cedar-wasm/cedar_wasm.cjs',
      'extension/server/dist/cedar-wasm/cedar_wasm_bg.wasm',
      'extension/server/dist/THIRD-PARTY-NOTICES.txt',
      'extension/server/schemas/generated/REFERENCE.md',
    ]);
  });

  test('the VS Code extension contains a manifest, the licenses of its dependencies, and a README with all its settings', () => {
    const manifest = JSON.parse(installed.files.get('extension/package.json')?.toString() ?? '');
    expect(manifest).toMatchObject({ publisher: 'lintel', name: 'vscode-lintel', version: VERSION });
    expect(manifest).not.toHaveProperty('devDependencies');
    const xml = installed.files.get('extension.vsixmanifest')?.toString() ?? '';
    expect(xml).toContain(`<Identity Language="en-US" Id="vscode-lintel" Version="${VERSION}" Publisher="lintel" />`);
    expect(xml).toContain(`Engine" Value="${manifest.engines.vscode}"`);
    const notices = installed.files.get('extension/THIRD-PARTY-NOTICES.txt')?.toString() ?? '';
    const names = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual([
      'balanced-match',
      'brace-expansion',
      'minimatch',
      'semver',
      'vscode-jsonrpc',
      'vscode-languageclient',
      'vscode-languageserver-protocol',
      'vscode-languageserver-textdocument',
      'vscode-languageserver-types',
    ]);
    const readme = installed.files.get('extension/README.md')?.toString() ?? '';
    for (const setting of Object.keys(manifest.contributes.configuration.properties))
      expect(readme).toContain(`\`${setting}\``);
  });

  test('the VS Code extension shows findings while the user types, hover texts on fields, and who can call a tool', async () => {
    await using folder = await temporaryFolder({ 'lintel.yaml': 'sources: [specs]\n', ...inSpecs(CLEAN) });
    const host = await TestHost.open(installed.extension, folder);
    await host.show('specs/gateway.yaml');
    host.type('specs/gateway.yaml', 'groupRef: { name: tools }', 'groupRef: { name: toolz }');
    await host.codes('specs/gateway.yaml', codes => codes.includes('LNT2001'));
    host.type('specs/gateway.yaml', 'toolz', 'tools');
    await host.codes('specs/gateway.yaml', codes => !codes.includes('LNT2001'));
    const hover = await host.ask('hover', 'provideHover', 'specs/gateway.yaml', 'groupRe|f');
    expect(JSON.stringify(hover)).toContain('VirtualMCPServer.spec.groupRef');
    expect(await host.ask('lens', 'provideCodeLenses', 'specs/gateway.yaml')).toHaveLength(1);
    expect(host.statusItem).toMatchObject({ text: `Lintel ${VERSION}`, detail: 'of the extension' });
    expect([...host.commands.keys()].toSorted()).toEqual([
      'lintel.restart',
      'lintel.showExposure',
      'lintel.showOutput',
    ]);
    const servers = listServerProcesses(installed.extension);
    expect(servers).toHaveLength(1);
    await host[Symbol.asyncDispose]();
    await eventually(() => listServerProcesses(installed.extension).length === 0);
  });
});
