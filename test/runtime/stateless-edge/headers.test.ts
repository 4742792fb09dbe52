import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { decodeHeaderValue } from '../../../runtime/mcp/header-value.ts';
import { initialize, post, startGateway } from '../client-edge/fake-gateway.ts';
import { fakeStatelessCore } from '../client-edge/fake-stateless.ts';
import { ask, findHeaders, formatRequest, META, REVISION, type StatelessRequest } from './requests.ts';

const answerIt = { 'tools/call': ok, 'prompts/get': ok, 'resources/read': ok, ping: ok };

function ok(answer: { result(json: string): void }): void {
  answer.result('{"resultType":"complete"}');
}

const start = () => startGateway({}, { stateless: fakeStatelessCore({ behaviours: answerIt }) });

const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const named = (name: string, header: string | undefined): StatelessRequest => ({
  method: 'tools/call',
  params: { name },
  headers: { 'Mcp-Name': header },
});
const withMethod = (header: string | undefined): StatelessRequest => ({
  method: 'tools/list',
  headers: { 'Mcp-Method': header },
});
const withRevision = (header: string | undefined, declared = REVISION): StatelessRequest => ({
  method: 'tools/list',
  headers: { 'MCP-Protocol-Version': header },
  meta: { ...META, 'io.modelcontextprotocol/protocolVersion': declared },
});

describe('matching headers', () => {
  test.each<[string, StatelessRequest]>([
    ['in lower case', { method: 'tools/list', headers: { 'Mcp-Method': undefined, 'mcp-method': 'tools/list' } }],
    ['in upper case', { method: 'tools/list', headers: { 'Mcp-Method': undefined, 'MCP-METHOD': 'tools/list' } }],
    ['with surrounding spaces', named('echo', '  echo\t')],
    ['that are encoded', named('echo', base64('echo'))],
    ['that encode characters beyond ASCII', named('日本 é', base64('日本 é'))],
    ['that encode a byte order mark', named('\ufeffx', base64('\ufeffx'))],
    ['that encode an empty name', named('', base64(''))],
    ['with the name of a prompt', { method: 'prompts/get', params: { name: 'p' } }],
    [
      'with the URI of a resource',
      {
        method: 'resources/read',
        params: { uri: 'file:///a b', name: 'other' },
        headers: { 'Mcp-Name': 'file:///a b' },
      },
    ],
    ['with the beginning of an encoded value only', named('=?base64?eA==', '=?base64?eA==')],
    ['with the end of an encoded value only', named('eA==?=', 'eA==?=')],
    ['with overlapping encoding marks', named('=?base64?=', '=?base64?=')],
    ['with encoding marks in upper case', named('=?BASE64?eA==?=', '=?BASE64?eA==?=')],
    ['with a name that the method does not need', { method: 'tools/list', headers: { 'Mcp-Name': 'any' } }],
    [
      'with a session id, which the revision does not have',
      { method: 'tools/list', headers: { 'Mcp-Session-Id': 'x' } },
    ],
    [
      'with a Last-Event-ID, which the revision does not have',
      { method: 'tools/list', headers: { 'Last-Event-ID': '7' } },
    ],
  ])('the gateway accepts a stateless request whose headers match the message: %s', async (_, request) => {
    const { url } = await start();
    const { status, text } = await ask(url, request);
    expect({ status, error: JSON.parse(text).error }).toEqual({ status: 200, error: undefined });
  });
});

describe('headers of a notification', () => {
  const METHOD = 'notifications/cancelled';
  const said = (declared?: string): string => {
    const _meta = declared === undefined ? undefined : { 'io.modelcontextprotocol/protocolVersion': declared };
    return JSON.stringify({ jsonrpc: '2.0', method: METHOD, params: { requestId: 1, _meta } });
  };
  const revision = { 'MCP-Protocol-Version': REVISION };

  test.each<[string, Record<string, string>, string | undefined]>([
    ['all headers', { ...revision, 'Mcp-Method': METHOD }, REVISION],
    ['no method, as clients of the official SDK send it', revision, REVISION],
    ['a revision that the message does not repeat', { ...revision, 'Mcp-Method': METHOD }, undefined],
    ['no revision', { 'Mcp-Method': METHOD }, REVISION],
  ])('the gateway accepts a stateless notification with these headers: %s', async (_, headers, declared) => {
    const { url } = await start();
    expect(await post(url, said(declared), headers)).toMatchObject({ status: 202, text: '' });
  });

  test.each<[string, Record<string, string>, string | undefined]>([
    ['the method of a call', { ...revision, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'x' }, REVISION],
    ['an empty method', { ...revision, 'Mcp-Method': '' }, REVISION],
    ['a method in another case', { ...revision, 'Mcp-Method': METHOD.toUpperCase() }, REVISION],
    ['another revision in the message', revision, '2025-11-25'],
    ['an unknown revision in the message', revision, 'v999'],
    ['a revision of sessions', { 'MCP-Protocol-Version': '2025-11-25' }, REVISION],
  ])('the gateway refuses a stateless notification with these headers: %s', async (_, headers, declared) => {
    const { url } = await start();
    const { status, text } = await post(url, said(declared), headers);
    expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 400, id: null, error: { code: -32020 } });
  });
});

describe('headers that contradict the message', () => {
  test.each<[string, StatelessRequest]>([
    ['no revision', withRevision(undefined)],
    ['a revision of sessions', withRevision('2025-11-25')],
    ['an unknown revision', withRevision('2031-01-01')],
    ['an unknown revision in the message', withRevision(REVISION, 'v999')],
    ['a revision of sessions in the message', withRevision(REVISION, '2025-11-25')],
    ['an unknown revision in the message and none in the header', withRevision(undefined, 'v999')],
    ['no method', withMethod(undefined)],
    ['another method', withMethod('prompts/list')],
    ['the method in upper case', withMethod('TOOLS/LIST')],
    ['the method twice', withMethod('tools/list, tools/list')],
    ['an encoded method', withMethod(base64('tools/list'))],
    ['a method beyond ASCII', { method: 'é', headers: { 'Mcp-Method': 'é' } }],
    ['no name', named('echo', undefined)],
    ['an empty name', named('echo', '')],
    ['another name', named('echo', 'wrong')],
    ['a name in upper case', named('echo', 'ECHO')],
    ['a name beyond ASCII, as Latin-1', named('é', 'é')],
    ['another encoded name', named('echo', base64('wrong'))],
    ['base64 without its padding', named('Hello', '=?base64?SGVsbG8?=')],
    ['base64 with other characters', named('Hello', '=?base64?SGVs!!!bG8=?=')],
    ['base64 with loose bits', named('x', '=?base64?eB==?=')],
    ['base64 of a URL', named('??>', '=?base64?Pz8-?=')],
    ['base64 of invalid UTF-8', named('\ufffd', '=?base64?/w==?=')],
    ['a plain name that looks encoded', named('=?base64?eA==?=', '=?base64?eA==?=')],
    [
      'no header with the name of a prompt',
      { method: 'prompts/get', params: { name: 'p' }, headers: { 'Mcp-Name': undefined } },
    ],
    [
      'no header with the URI of a resource',
      { method: 'resources/read', params: { uri: 'a:b' }, headers: { 'Mcp-Name': undefined } },
    ],
    [
      'the name in place of the URI of a resource',
      { method: 'resources/read', params: { uri: 'a:b', name: 'n' }, headers: { 'Mcp-Name': 'n' } },
    ],
  ])('the gateway refuses a stateless request with %s', async (_, request) => {
    const { url } = await start();
    const { status, text } = await ask(url, { ...request, id: 'h' });
    const { id, error } = JSON.parse(text);
    expect({ status, id, code: error.code }).toEqual({ status: 400, id: 'h', code: -32020 });
  });

  test('the gateway accepts any Mcp-Name header of a stateless request whose message has no name', async () => {
    const { url } = await start();
    expect(await ask(url, { method: 'tools/call', headers: { 'Mcp-Name': 'x' } })).toMatchObject({ status: 200 });
  });

  test('the gateway refuses a stateless request whose header has a control character', async () => {
    const { listener } = await start();
    const request = { method: 'tools/list' };
    const body = formatRequest(request);
    const socket = connect(listener.address.port, '127.0.0.1');
    const lines = Object.entries({
      Host: 'x',
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ...findHeaders(request),
      'Mcp-Name': 'a\u0001b',
    }).filter(([, value]) => value !== undefined);
    socket.end(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('members of `_meta`', () => {
  const version = 'io.modelcontextprotocol/protocolVersion';
  const capabilities = 'io.modelcontextprotocol/clientCapabilities';
  const info = 'io.modelcontextprotocol/clientInfo';
  const level = 'io.modelcontextprotocol/logLevel';
  const without = (name: string): object => Object.fromEntries(Object.entries(META).filter(([key]) => key !== name));

  test.each<[string, unknown]>([
    ['no _meta', null],
    ['an empty _meta', {}],
    ['a _meta that is a list', []],
    ['a _meta that is a string', 'x'],
    ['no revision', without(version)],
    ['a revision that is a number', { ...META, [version]: 20260728 }],
    ['no capabilities', without(capabilities)],
    ['capabilities that are null', { ...META, [capabilities]: null }],
    ['capabilities that are a list', { ...META, [capabilities]: [] }],
    ['client info that is a string', { ...META, [info]: 'test' }],
    ['an unknown log level', { ...META, [level]: 'loud' }],
    ['a log level that is an object', { ...META, [level]: {} }],
  ])('the gateway refuses a stateless request whose _meta is wrong: %s', async (_, meta) => {
    const { url } = await start();
    const { status, text } = await ask(url, { method: 'server/discover', meta, id: 'm' });
    const { id, error } = JSON.parse(text);
    expect({ status, id, code: error.code }).toEqual({ status: 400, id: 'm', code: -32602 });
    expect(error.message).toContain('params._meta["io.modelcontextprotocol/');
  });

  test.each<[string, object]>([
    ['without client info', without(info)],
    ['with a log level', { ...META, [level]: 'debug' }],
    ['with further members of _meta', { ...META, progressToken: 1, 'com.example/x': null, traceparent: '00' }],
  ])('the gateway accepts a stateless request %s', async (_, meta) => {
    const { url } = await start();
    expect(await ask(url, { method: 'server/discover', meta })).toMatchObject({ status: 200 });
  });

  const inMeta = (member: string): string =>
    formatRequest({ method: 'tools/list' }).replace('"_meta":{', `"_meta":{${member},`);
  test.each([
    ['the revision twice', inMeta(`"${version}":"2026-07-28"`)],
    ['the revision twice, once in escapes', inMeta(`"io.modelcontextprotocol\\/protocolVersion":"2025-11-25"`)],
    ['the revision in another case', inMeta(`"${version.toUpperCase()}":"2025-11-25"`)],
    ['the capabilities twice', inMeta(`"${capabilities}":{}`)],
    ['the client info twice', inMeta(`"${info}":{}`)],
    ['_meta twice', formatRequest({ method: 'tools/list' }).replace('"_meta":', '"_meta":{},"_meta":')],
    ['_META next to _meta', formatRequest({ method: 'tools/list' }).replace('"_meta":', '"_META":{},"_meta":')],
  ])('the gateway refuses a stateless request that contains %s', async (_, body) => {
    const { url } = await start();
    const { status, text } = await post(url, body, findHeaders({ method: 'tools/list' }));
    expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 400, code: -32600 });
  });
});

describe('the era of a request', () => {
  test.each<[string, StatelessRequest, number, number]>([
    ['an unknown revision on both sides', withRevision('v999', 'v999'), 400, -32022],
    ['an unknown revision in the header, no _meta', { ...withRevision('v999'), meta: null }, 400, -32022],
    ['the stateless revision without _meta', { method: 'ping', meta: null }, 400, -32602],
    ['initialize with stateless _meta', { method: 'initialize' }, 404, -32601],
    [
      'server/discover without header and _meta',
      { method: 'server/discover', meta: null, headers: { 'MCP-Protocol-Version': undefined } },
      400,
      -32602,
    ],
    ['a revision of sessions on both sides, without a session', withRevision('2025-11-25', '2025-11-25'), 400, -32600],
    [
      'no revision and no session',
      { method: 'tools/list', meta: null, headers: { 'MCP-Protocol-Version': undefined } },
      400,
      -32600,
    ],
  ])('the gateway decides whether a request is stateless: %s', async (_, request, status, code) => {
    const { url } = await start();
    const reply = await ask(url, { ...request, id: 'e' });
    const { id, error } = JSON.parse(reply.text);
    expect({ status: reply.status, id, code: error.code }).toEqual({ status, id: 'e', code });
    if (code === -32022) {
      expect(error.data).toEqual({
        supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
        requested: 'v999',
      });
    }
  });

  // The Java SDK sends the header with `initialize` too.
  test.each(['2026-07-28', '2024-11-05', '2999-01-01'])(
    'initialize negotiates the revision, also with %s in its header',
    async revision => {
      const { url } = await start();
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const headers = { 'MCP-Protocol-Version': revision };
      const reply = await ask(url, { method: 'initialize', params, meta: null, headers });
      const { protocolVersion } = JSON.parse(reply.text.slice(reply.text.indexOf('{'))).result;
      const found = {
        status: reply.status,
        hasSession: reply.headers['mcp-session-id'] !== undefined,
        protocolVersion,
      };
      expect(found).toEqual({ status: 200, hasSession: true, protocolVersion: '2025-11-25' });
    },
  );

  test('the gateway ignores stateless members of `_meta` in a session', async () => {
    const { url } = await start();
    const session = await initialize(url);
    for (const revision of [undefined, '2025-11-25']) {
      const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': revision };
      for (const meta of [META, null, {}, 'x']) {
        const { status, text } = await post(url, formatRequest({ method: 'tools/list', meta }), headers);
        expect({ status, result: JSON.parse(text).result.resultType }).toEqual({ status: 200, result: undefined });
      }
    }
  });

  test.each(['GET', 'DELETE'])('the gateway refuses a stateless %s with 405', async method => {
    const { url } = await start();
    const headers = {
      'MCP-Protocol-Version': REVISION,
      Accept: 'text/event-stream',
      'Mcp-Session-Id': await initialize(url),
    };
    const { status } = await fetch(url, { method, headers });
    expect(status).toBe(405);
  });
});

test.each([
  ['us-west1', 'us-west1'],
  ['=?base64?SGVsbG8sIOS4lueVjA==?=', 'Hello, 世界'],
  ['=?base64?IHBhZGRlZCA=?=', ' padded '],
  ['=?base64?bGluZTEKbGluZTI=?=', 'line1\nline2'],
  ['=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=', '=?base64?literal?='],
  ['=?base64?', '=?base64?'],
  ['=?base64?SGVsbG8?=', undefined],
])(
  'the gateway decodes %j in an Mcp-Name or Mcp-Param header to %j, as the specification of MCP says',
  (value, decoded) => {
    expect(decodeHeaderValue(value)).toBe(decoded);
  },
);
