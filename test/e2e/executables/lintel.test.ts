/** `lintel` as a single executable: it starts only itself, and contains every file that it reads. */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '#schemas';
import { call } from '../../bridge/running-bridge.ts';
import { stdioSpec } from '../../bridge/stdio-spec.ts';
import { Editor } from '../../support/editor.ts';
import { runLintel } from '../../support/lintel.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually, ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { run, Serving } from './executable.ts';

const execute = promisify(execFile);

const STDIO = stdioSpec({ command: process.execPath });

let folder: TemporaryFolder;
let file: string;
let empty: string;
const lintel = (...args: string[]) => run(file, args, empty);

withPeers('postject').describe('lintel', () => {
  beforeAll(async () => {
    const { makeExecutables } = await import('../../../build/executables/make.ts');
    folder = await temporaryFolder({ 'empty/stdio.yaml': STDIO });
    empty = folder.file('empty');
    file = (await makeExecutables(folder.path, ['lintel']))[0]?.file ?? '';
    await cp(join(ROOT, 'examples/policies'), join(empty, 'policies'), { recursive: true });
  });

  afterAll(() => folder[Symbol.asyncDispose]());

  test('the single executable prints its version', async () => {
    expect(await lintel('--version')).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  test('the single executable runs the language server', async () => {
    await using editor = await Editor.in(empty, { command: [file] });
    expect(editor.initialized?.serverInfo).toEqual({ name: 'lintel', version: VERSION });
  });

  test('the single executable checks specs with policies and builds the same bundles as the npm package', async () => {
    expect(await lintel('check', 'policies')).toMatchObject({ code: 0 });
    const built = await lintel('build', 'policies', '--out', 'built');
    const { stdout } = await runLintel(['build', 'policies', '--out', 'built'], { cwd: empty });
    expect(built.stdout).toBe(stdout);
    expect(built.stdout).toContain('sha256:');
  });

  test('the single executable writes a new repository with the files for GitHub', async () => {
    expect(await lintel('init', '--yes', '--ci', 'github', 'repository')).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(join(empty, 'repository/.github/workflows/lintel.yml'), 'utf8')).toContain('lintel check');
    expect(await lintel('check', 'repository')).toMatchObject({ code: 0 });
  });

  test('the next steps of `lintel init` name the single executable by its path from the new folder', async () => {
    // A shell passes the program's name as it was typed.
    const { stdout } = await execute('sh', ['-c', '../lintel init --yes another'], { cwd: empty, env: {} });
    const [, folder = '', command = ''] = /^ {2}cd (\S+)$[\s\S]*?^ {2}(\S+ check) /m.exec(stdout) ?? [];
    expect([folder, command]).toEqual(['another', '../../lintel check']);
    await execute('sh', ['-c', `cd ${folder} && ${command}`], { cwd: empty, env: {} });
  });

  test.each(['json', 'crd', 'reference', 'cdk8s'])(
    'the single executable writes the same %s schemas as the npm package',
    async part => {
      expect(await lintel('schema', part, '--out', `ours/${part}`)).toMatchObject({ code: 0, stderr: '' });
      await runLintel(['schema', part, '--out', `theirs/${part}`], { cwd: empty });
      const names = await readdir(join(empty, 'theirs', part));
      expect(await readdir(join(empty, 'ours', part))).toEqual(names);
      for (const name of names)
        expect(await readFile(join(empty, 'ours', part, name), 'utf8')).toBe(
          await readFile(join(empty, 'theirs', part, name), 'utf8'),
        );
    },
  );

  test('the single executable names the npm package that TypeScript programs need', async () => {
    await writeFile(join(empty, 'app.ts'), 'export {};\n');
    const { code, stdout } = await lintel('check', 'app.ts');
    expect(stdout).toContain(`npm install --save-dev ./lintel-${VERSION}.tgz`);
    expect(code).toBe(3);
  });

  test.each(['serve', 'dev'])(
    '`%s` of the single executable starts a gateway, and a bridge for its stdio server',
    async command => {
      await using gateway = new Serving(file, [command, 'stdio.yaml', ...FREE_PORTS], empty);
      const { url } = await gateway.announcement<{ url: string }>();
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
      await eventually(async () => (await client.listTools()).tools.length > 0);
      expect(JSON.parse(await call(client, 'peer_arguments'))).toEqual([]);
      expect(await lintel('ls', url)).toMatchObject({ code: 0 });
      await client.close();
    },
  );

  test('the runtime in the single executable decides by policies in several worker processes', async () => {
    await lintel('build', 'policies', '--out', 'served');
    const runtime = `${file}/dist/lintel-runtime.js`;
    const args = [runtime, '--bundle', 'served', '--workers', '2', ...FREE_PORTS];
    await using gateway = new Serving(file, args, empty);
    const { internal } = await gateway.announcement<{ internal: string }>();
    expect((await fetch(new URL('/health', internal))).status).toBe(200);
  });
});
