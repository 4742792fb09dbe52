import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '#schemas';
import { eventually, PROGRAM, type Program, start, type TemporaryFolder } from '../../support/process.ts';
import { type HeldBackend, startHeldBackend } from '../held-backend.ts';
import { type Announcement, buildInto, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';

let backend: HeldBackend;
let folder: TemporaryFolder;
let runtime: Program;
let listening: Announcement;

beforeAll(async () => {
  backend = await startHeldBackend();
  folder = await buildInto({ 'group.yaml': GROUP, 'gateway.yaml': inlineGateway('eng', backend.url) });
  runtime = start(PROGRAM.runtime, ['--bundle', folder.file('out'), ...FREE_PORTS]);
  listening = await runtime.announcement<Announcement>();
});

afterAll(async () => {
  await runtime[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  await backend[Symbol.asyncDispose]();
});

test('the runtime prints one line of JSON with its addresses, its gateway and its digest', () => {
  expect(listening).toEqual({
    event: 'listening',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
    internal: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    gateway: 'default/eng',
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
  expect(runtime.stdout.text.split('\n')).toHaveLength(2);
});

test('the runtime writes its log to standard error, as lines of JSON', async () => {
  await runtime.stderr.next(/"msg":"listening"/);
  const lines = runtime.stderr.text.trimEnd().split('\n');
  expect(lines.map(line => Object.keys(JSON.parse(line) as object).slice(0, 2))).toEqual(
    lines.map(() => ['level', 'time']),
  );
});

test.each([
  ['/health', { status: 'ok' }],
  ['/readyz', { status: 'ready' }],
  ['/version', { version: VERSION, digest: expect.stringMatching(/^sha256:/) }],
  [
    '/status',
    {
      gateway: { namespace: 'default', name: 'eng' },
      bundle: { refused: null },
      healthy: true,
      counts: { tools: 1 },
      backends: [{ name: 'backend' }],
    },
  ],
])('the runtime answers %s on its internal address, and not on its main address', async (path, body) => {
  const answer = await eventually(async () => {
    const response = await fetch(`${listening.internal}${path}`);
    return response.status === 200 && ((await response.json()) as object);
  });
  expect(answer).toMatchObject(body);
  expect((await fetch(new URL(path, listening.url))).status).toBe(404);
});

test('the runtime does not serve the MCP endpoint on its internal address', async () => {
  const response = await fetch(`${listening.internal}/mcp`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
});
