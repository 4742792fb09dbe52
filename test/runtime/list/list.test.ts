/** `lintel-runtime list`: the request on standard input, and one line for each response. */
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { BackendQuery } from '#schemas';
import { PROGRAM, run } from '../../support/process.ts';
import { type RawHandler, type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';

const open: RawServer[] = [];
const peers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all([...open.splice(0), ...peers.splice(0)].map(server => server.close()));
});

async function serve(handler: RawHandler): Promise<BackendQuery> {
  const server = await startRawServer(handler);
  open.push(server);
  return {
    key: `b${open.length}`,
    url: `${server.origin}/mcp`,
    transport: 'streamable-http',
    addresses: 'any',
    headers: [],
    timeoutMs: 5_000,
    deadlineMs: 5_000,
  };
}

/** The program's responses about backends, sorted by key. */
async function list(...backends: readonly BackendQuery[]) {
  const { code, stdout, stderr } = await run(PROGRAM.runtime, ['list'], { input: JSON.stringify({ backends }) });
  expect([code, stderr]).toEqual([0, '']);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { key: string });
  return answers.sort((a, b) => (a.key < b.key ? -1 : 1));
}

test('lintel-runtime list reads all pages of a backend unchanged, and sends every header', async () => {
  const question = await serve(
    withHandshake(({ message }, response) => {
      const { cursor } = message.params;
      const page =
        cursor === undefined ? { tools: [{ name: 'a', x: [1] }], nextCursor: '2' } : { tools: [{ odd: true }, 7] };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result: page }));
    }),
  );
  const [answer] = await list({
    ...question,
    headers: [
      { name: 'X-Team', value: 'eng' },
      { name: 'Content-Type', value: 'text/plain' },
    ],
  });
  expect(answer).toEqual({
    key: 'b1',
    ok: true,
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'raw', version: '1' },
    tools: [{ name: 'a', x: [1] }, { odd: true }, 7],
    prompts: [],
    resources: [],
    resourceTemplates: [],
  });
  const requests = open[0]?.requests ?? [];
  expect(requests.map(({ headers }) => headers['x-team'])).toEqual(requests.map(() => 'eng'));
  const posts = requests.filter(({ method }) => method === 'POST');
  expect(posts.map(({ headers }) => headers['content-type'])).toEqual(posts.map(() => 'application/json'));
  expect(posts.length).toBeGreaterThanOrEqual(4);
});

test('lintel-runtime list lists stateless backends, and backends with and without sessions over Streamable HTTP and over HTTP+SSE', async () => {
  const servers = await Promise.all([
    startStatelessServer({ name: 'stateless' }),
    startSdkServer({ transport: 'streamable-http', name: 'sessions' }),
    startSdkServer({ transport: 'streamable-http', isSessionless: true, name: 'sessionless' }),
    startSdkServer({ transport: 'sse', name: 'found out' }),
  ]);
  peers.push(...servers);
  const template = await serve(() => {});
  const answers = await list(...servers.map(({ url }, n) => ({ ...template, key: `b${n}`, url })));
  expect(answers).toEqual(
    [
      ['2026-07-28', 'stateless'],
      ['2025-11-25', 'sessions'],
      ['2025-11-25', 'sessionless'],
      ['2025-11-25', 'found out'],
    ].map(([protocolVersion, name], n) => ({
      key: `b${n}`,
      ok: true,
      protocolVersion,
      serverInfo: { name, version: '1.0.0' },
      tools: expect.arrayContaining([{ name: 'echo', inputSchema: { type: 'object' } }]),
      prompts: [{ name: 'greet' }],
      resources: [expect.objectContaining({ uri: 'memo://one' })],
      resourceTemplates: expect.any(Array),
    })),
  );
});

test('lintel-runtime list lists a stateless backend as stateless when `server/discover` takes seconds', async () => {
  const slow = await serve(async ({ message: { id, method } }, response) => {
    if (method === 'server/discover') await setTimeout(3_500);
    const result =
      method === 'server/discover'
        ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
        : { resultType: 'complete', tools: [] };
    const answer = method === 'initialize' ? { error: { code: -32601, message: 'no initialize' } } : { result };
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  const [answer] = await list({ ...slow, timeoutMs: 60_000, deadlineMs: 60_000 });
  expect(answer).toMatchObject({ ok: true, protocolVersion: '2026-07-28' });
});

test('lintel-runtime list reports the failure of each backend, and does not repeat the error text of a backend', async () => {
  const good = await serve(
    withHandshake(({ message }, response) =>
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools: [] } })),
    ),
  );
  const rude = await serve(
    withHandshake(({ message }, response) => {
      const error = { code: -32000, message: `bad token ${JSON.stringify(message)}` };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
    }),
  );
  const silent = await serve(() => {});
  const closed = await serve((_, response) => void response.writeHead(403).end());
  const stateless = await serve(({ message }, response) => {
    const result = { protocolVersion: '2026-07-28', capabilities: {}, serverInfo: {} };
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  const guarded = { ...(await serve(() => {})), addresses: 'public' as const };
  const answers = await list(good, rude, { ...silent, deadlineMs: 200 }, closed, stateless, guarded);
  expect(answers).toEqual([
    expect.objectContaining({ key: 'b1', ok: true }),
    { key: 'b2', ok: false, message: 'refused to list what it offers (JSON-RPC error -32000)' },
    { key: 'b3', ok: false, message: 'did not finish within 0.2s' },
    { key: 'b4', ok: false, message: 'refused the credentials of the request (HTTP 403)' },
    { key: 'b5', ok: false, message: 'speaks another revision of MCP: "2026-07-28"' },
    { key: 'b6', ok: false, message: 'connecting to 127.0.0.1 is not allowed: the address is loopback' },
  ]);
});

test('lintel-runtime list returns the names of unavailable backends that a gateway reports', async () => {
  const answered = (answer: object) =>
    serve(
      withHandshake(({ message }, response) =>
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer })),
      ),
    );
  const lacking = (away: object) =>
    answered({ result: { tools: [], _meta: { 'dev.lintel/unavailableBackends': away } } });
  const short = await lacking({ count: 3, names: ['docs', 'a b', 7, 'wiki'] });
  const backends = [{ name: 'docs' }, { name: '\u001b[2J' }];
  const refusing = await answered({ error: { code: -32603, message: 'm', data: { backends } } });
  const odd = await lacking({ count: '3' });
  const answers = (await list(short, refusing, odd)) as { unavailable?: unknown }[];
  expect(answers.map(({ unavailable }) => unavailable)).toEqual([
    { count: 3, names: ['docs', 'wiki'] },
    { count: 2, names: ['docs'] },
    undefined,
  ]);
});

test.each(['', 'tok-secret', '{}', '{"backends": 7}'])(
  'lintel-runtime list refuses the request %j with exit code 2',
  async input => {
    expect(await run(PROGRAM.runtime, ['list'], { input })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'lintel-runtime: list reads {"backends": […]} from standard input; `lintel lock` writes it\nTry \'lintel-runtime --help\'.\n',
    });
  },
);
