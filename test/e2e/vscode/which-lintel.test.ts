/** Which server a VS Code window starts, and when. `extension.test.ts` tests what it shows. */
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { CLEAN, gateway } from '../specs.ts';
import { type Installed, inSpecs, installVsix, listServerProcesses } from './installed.ts';
import { TestHost } from './test-host.ts';

/** A language server that answers the first request, `initialize`, and no other. */
const SILENT = `let isStarted = false;
process.stdin.on('data', () => {
  if (isStarted) return;
  isStarted = true;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, result: { capabilities: {} } });
  process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
});
`;

withPeers('vscode-languageclient').describe('the extension', () => {
  let installed: Installed;

  beforeAll(async () => {
    installed = await installVsix();
    return async () => await installed[Symbol.asyncDispose]();
  });

  test('two builds of the VS Code extension give the same archive', async () => {
    await using again = await installVsix();
    expect((await readFile(again.file)).equals(await readFile(installed.file))).toBe(true);
  });

  test('the VS Code extension starts a process only when a file of Lintel is opened', async () => {
    await using folder = await temporaryFolder({ 'broken.yaml': gateway('eng'), 'values.yaml': 'replicas: 3\n' });
    await using host = await TestHost.open(installed.extension, folder);
    await host.show('values.yaml');
    expect(listServerProcesses(installed.extension)).toEqual([]);
    expect(host.log).toEqual([]);
    await host.show('broken.yaml');
    await host.codes('broken.yaml', codes => codes.includes('LNT2001'));
    expect(listServerProcesses(installed.extension)).toHaveLength(1);
  });

  test('the VS Code extension runs the lintel installed in a trusted workspace, unless the setting lintel.path names another program', async () => {
    await using folder = await temporaryFolder({ 'lintel.yaml': 'sources: [specs]\n', ...inSpecs(CLEAN) });
    await mkdir(folder.file('node_modules'));
    await symlink(ROOT, folder.file('node_modules/lintel'));
    await using host = await TestHost.open(installed.extension, folder, { isTrusted: false });
    expect(host.statusItem.detail).toBe('of the extension');
    host.trust();
    await host.logged(/\(of the project: /);
    host.setPath('node_modules/lintel/dist/lintel.js');
    await host.logged(/\(as lintel\.path says\)/);
    expect(listServerProcesses(installed.extension)).toEqual([]);
    await host.show('specs/gateway.yaml');
    host.type('specs/gateway.yaml', 'name: tools', 'name: toolz');
    await host.codes('specs/gateway.yaml', codes => codes.includes('LNT2001'));
  });

  test('the VS Code extension starts another lintel even if the former one does not answer the shutdown', async () => {
    const files = { 'lintel.yaml': '{}\n', ...CLEAN, 'silent/lintel.js': SILENT };
    await using folder = await temporaryFolder(files);
    await using host = await TestHost.open(installed.extension, folder, { path: 'silent/lintel.js' });
    await host.logged(/\(as lintel\.path says\)/);
    host.setPath('');
    await host.logged(/\(of the extension\)/);
    await host.show('gateway.yaml');
    host.type('gateway.yaml', 'name: tools', 'name: toolz');
    await host.codes('gateway.yaml', codes => codes.includes('LNT2001'));
  });

  test('the VS Code extension logs that the program of lintel.path did not start, and starts its own lintel when the setting is removed', async () => {
    await using folder = await temporaryFolder({ 'lintel.yaml': '{}\n', ...CLEAN });
    await using host = await TestHost.open(installed.extension, folder, { path: '/nowhere/lintel' });
    await host.logged(/Launching server using command \/nowhere\/lintel failed/);
    host.setPath('');
    await host.logged(/\(of the extension\)/);
    await host.show('gateway.yaml');
    host.type('gateway.yaml', 'name: tools', 'name: toolz');
    await host.codes('gateway.yaml', codes => codes.includes('LNT2001'));
  });
});
