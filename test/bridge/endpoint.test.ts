/** Which requests the endpoint of a bridge refuses, and with which response. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROGRAM, run, start, temporaryFolder } from '../support/process.ts';
import { connect, PLAIN, plan, type RunningBridge, startBridge, TOKEN } from './running-bridge.ts';

let bridge: RunningBridge;

beforeAll(async () => {
  bridge = await startBridge({ plain: plan(PLAIN) });
});

afterAll(() => bridge[Symbol.asyncDispose]());

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Uses `node:http`, which sends any header. */
function ask({ method = 'POST', path = '/default/plain/mcp', headers = {}, body }: Asked) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const all = { 'content-type': 'application/json', 'lintel-bridge-token': TOKEN, ...headers };
    const asked = request(`${bridge.url}${path}`, { method, headers: all }, async answer => {
      resolve({ status: answer.statusCode ?? 0, body: (await answer.setEncoding('utf8').toArray()).join('') });
    });
    asked.on('error', reject).end(body);
  });
}

test.each<[what: string, asked: Asked, status: number, message: RegExp]>([
  ['no token', { headers: { 'lintel-bridge-token': '' }, body: INITIALIZE }, 401, /no token of this bridge/],
  ['a wrong token', { headers: { 'lintel-bridge-token': 'other' }, body: INITIALIZE }, 401, /no token of this bridge/],
  ['a web page', { headers: { origin: 'http://127.0.0.1:1' }, body: INITIALIZE }, 403, /web pages may not call/],
  ['a path of no server', { path: '/default/other/mcp', body: INITIALIZE }, 404, /it serves: \/default\/plain\/mcp/],
  ['a method that it does not serve', { method: 'PUT' }, 405, /^$/],
  ['a body that is not JSON', { body: '{' }, 400, /is not JSON/],
  ['a body that is not a JSON-RPC message', { body: '{"a":1}' }, 400, /not a message of JSON-RPC 2\.0/],
  ['an empty batch', { body: '[]' }, 400, /not a message of JSON-RPC 2\.0/],
  ['a body above the size limit', { body: `"${'x'.repeat(9 * 2 ** 20)}"` }, 413, /larger than 8388608 bytes/],
  [
    'a request of the stateless revision, for which the error lists the supported revisions',
    { body: '{"jsonrpc":"2.0","id":4,"method":"server/discover"}', headers: { 'mcp-protocol-version': '2026-07-28' } },
    400,
    /"id":4,"error":\{"code":-32022,.*"supported":\["2025-11-25",/,
  ],
  ['a stream without a session', { method: 'GET' }, 400, /Mcp-Session-Id is missing/],
  ['a stream of an unknown session', { method: 'GET', headers: { 'mcp-session-id': 'x' } }, 404, /no such session/],
  ['the end of an unknown session', { method: 'DELETE', headers: { 'mcp-session-id': 'x' } }, 404, /no such/],
])('the bridge answers a bad request with an error: %s', async (_what, asked, status, message) => {
  const answer = await ask(asked);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatch(message);
});

test('the bridge accepts a session id only at the path of the server that opened the session', async () => {
  await using both = await startBridge({ plain: plan(PLAIN), other: plan(PLAIN) });
  const { transport } = await connect(both.urlOf('plain'));
  const headers = { 'lintel-bridge-token': TOKEN, 'mcp-session-id': transport.sessionId ?? '' };
  expect((await fetch(both.urlOf('other'), { method: 'DELETE', headers })).status).toBe(404);
  expect((await fetch(both.urlOf('plain'), { method: 'DELETE', headers })).status).toBe(204);
});

test.each([
  ['no configuration is given', [], /--config FILE is required/],
  ['an option is misspelt', ['--confg', 'bridge.json'], /: unknown option --confg; did you mean --config\?\n/],
  [
    'the configuration file does not exist',
    ['--config', '/nowhere/bridge.json'],
    /cannot read \/nowhere\/bridge\.json: it does not exist/,
  ],
  ['the configuration file is a folder', ['--config', '/tmp'], /cannot read \/tmp: it is a folder/],
  ['the port is out of range', ['--config', '-', '--port', '70000'], /--port 70000: expected a port/],
  ['it listens for other machines and has no token', ['--config', '-', '--host', '0.0.0.0'], /set LINTEL_BRIDGE_TOKEN/],
])('the bridge does not start: %s', async (_what, args, message) => {
  expect(await run(PROGRAM.bridge, args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('the bridge exits with code 2 if its address is in use', async () => {
  await using first = await startBridge({ plain: plan(PLAIN) });
  const { port } = new URL(first.urlOf('plain'));
  await using folder = await temporaryFolder({ 'bridge.json': '{"servers":{}}' });
  expect(await run(PROGRAM.bridge, ['--config', folder.file('bridge.json'), '--port', port])).toMatchObject({
    code: 2,
    stderr: `lintel-bridge: cannot listen on 127.0.0.1:${port}: the address is in use; choose another address with --host/--port\nTry 'lintel-bridge --help'.\n`,
  });
});

test.each([
  ['a syntax error', '{', /--config \S+bridge\.json: the configuration is not JSON/],
  ['no servers', '{}', /has no object "servers"/],
  ['an invalid server name', '{"servers":{"UPPER":{}}}', /"UPPER" is not a <namespace>\/<name>/],
  ['a server without a command', '{"servers":{"a/b":{}}}', /servers\["a\/b"\]\.command is missing/],
  ['an unknown member', JSON.stringify({ servers: { 'a/b': { ...plan(PLAIN), x: 1 } } }), /\.x is not known/],
])('the bridge does not start with a configuration that has %s', async (_what, text, message) => {
  await using folder = await temporaryFolder({ 'bridge.json': text });
  const outcome = await run(PROGRAM.bridge, ['--config', folder.file('bridge.json'), '--port', '0']);
  expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('with --config -, the bridge reads successive configurations from standard input, and ends when standard input ends', async () => {
  const first = { servers: { 'default/plain': plan(PLAIN) } };
  const second = { servers: { ...first.servers, 'default/other': plan(PLAIN) } };
  await using program = start(PROGRAM.bridge, ['--config', '-', '--port', '0'], {
    input: `${JSON.stringify(first)}\n${JSON.stringify(second)}\n`,
  });
  await program.stdout.next(/"event":"listening"/);
  await program.stdout.next(/"event":"configured"/);
  expect(await program.exitCode()).toBe(0);
});
