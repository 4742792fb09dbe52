/** A program with the commands for YAML: findings are at the lines of the program. */
import { readFile, rm } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, start, type TemporaryFolder } from '../../support/process.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';
import { project } from './project.ts';

let backend: SdkServer;
let folder: TemporaryFolder;

const app = (url: string) => `import { App, Chart } from 'cdk8s';
import { Backend, Caller, Gateway, Group, Incoming } from 'lintel/cdk8s';

const chart = new Chart(new App(), 'Eng', { namespace: 'tools' });
const gateway = new Gateway(chart, 'gateway', {
  name: 'eng',
  group: new Group(chart, 'eng'),
  incoming: Incoming.anonymous(),
  replicas: 2,
});
const notes = gateway.addBackend(Backend.inline({ name: 'notes', url: '${url}', transport: 'streamable-http' }));
gateway
  .grant(Caller.any())
  .call(notes.tool('echo'));
export default chart;
`;

beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', name: 'notes' });
  folder = await project({
    'app.ts': app(backend.url),
    'broken.ts': "throw new Error('not yet');\n// lintel-ignore LNT4016: sessions may be lost\nexport {};\n",
    'more.ts': app(backend.url).replace('.call(', ".call(notes.tool('fail'), "),
    'callers/anyone.json': '{}',
  });
});

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await backend.close();
});

const lintel = (...args: string[]) => runLintel([...args, '--no-typecheck'], { cwd: folder.path });

test('`lintel lock` records what the backends of a program offer', async () => {
  const heard = await lintel('lock', 'app.ts');
  expect([heard.code, heard.stderr]).toEqual([0, 'lintel: wrote lintel.lock.json\n']);
  expect(heard.stdout).toContain('+ tools/VirtualMCPServer/eng/notes: 9 tools, ');
  expect(await lintel('lock', 'app.ts', '--check')).toMatchObject({ code: 0, stdout: '' });
});

test('`lintel can` names the line of the program that decides about a call', async () => {
  expect(await lintel('can', 'call', 'notes_echo', 'app.ts')).toEqual({
    code: 0,
    stdout: `allowed: anonymous may call notes_echo of tools/eng\n  policy "anyone-call" (app.ts:14:4) permits it\n`,
    stderr: '',
  });
  const { code, stdout, stderr } = await lintel('matrix', 'app.ts', '--as', 'callers');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('  NAME        anyone\n  notes_echo  yes\n');
});

test('`lintel baseline` records the findings of a program by its file, and `lintel check` then fails only for new findings', {
  timeout: 60_000,
}, async () => {
  const before = await lintel('check', 'app.ts', '--format', 'compact');
  expect(before.stdout).toMatch(/^app\.ts:9:13: warning\[LNT4016\]/m);
  expect(await lintel('baseline', 'app.ts')).toMatchObject({ code: 0 });
  const { findings } = JSON.parse(await readFile(folder.file('lintel-baseline.json'), 'utf8'));
  expect(findings).toContainEqual({
    file: 'app.ts',
    object: 'VirtualMCPServer tools/eng',
    code: 'LNT4016',
    field: '/spec/replicas',
    count: 1,
  });
  const after = await lintel('check', 'app.ts', '--fail-on', 'hint');
  expect([after.code, after.stderr]).toEqual([0, '']);
  await rm(folder.file('lintel-baseline.json'));
});

test('`lintel diff` shows how a change of a program changes access', async () => {
  expect(await lintel('diff', 'app.ts', 'app.ts')).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await lintel('diff', 'app.ts', 'more.ts');
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toContain('notes_fail');
});

test('`lintel serve` serves the gateway of a program', async () => {
  await using served = start(PROGRAM.lintel, ['serve', 'app.ts', '--no-typecheck', ...FREE_PORTS], {
    cwd: folder.path,
  });
  const announcement = await served.announcement<Announcement>();
  expect(announcement).toMatchObject({ gateway: 'tools/eng' });
  await ready(announcement);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(announcement.url)));
  const { tools } = await client.listTools();
  await client.close();
  expect(tools.map(({ name }) => name)).toEqual(['notes_echo']);
});

describe('a program that throws', () => {
  const ERROR = 'error[LNT1070] program-throws: the program throws Error: not yet\n --> broken.ts:1:7\n';

  test.each<[args: readonly string[], code: number]>([
    [['can', 'call', 'notes_echo', 'broken.ts'], 2],
    [['matrix', 'broken.ts', '--as', 'callers'], 2],
    [['exposure', 'broken.ts'], 2],
    [['diff', 'broken.ts', 'broken.ts'], 3],
    [['diff', 'app.ts', 'broken.ts'], 3],
    [['serve', 'broken.ts', ...FREE_PORTS], 1],
    [['build', 'broken.ts', '--out', 'out'], 1],
  ])(
    'a program that throws makes lintel print its error and exit with the right code: lintel %s',
    async (args, code) => {
      const ended = await lintel(...args);
      expect(ended.stderr).toContain(ERROR);
      expect(ended.code).toBe(code);
    },
  );

  test('`lintel check` of a program that throws reports no unused suppressions', async () => {
    const { stdout } = await lintel('check', 'broken.ts', '--format', 'compact');
    expect(stdout).toMatch(/^broken\.ts:1:7: error\[LNT1070\]/);
    expect(stdout).not.toContain('LNT1033');
  });
});
