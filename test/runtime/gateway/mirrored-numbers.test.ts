/**
 * Numbers that a tool declares as headers. A router reads the header and a server the body, and both must see the same number. Doubles cannot
 * hold every number, so one that they cannot hold is not sent as a header.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { post } from '../client-edge/fake-gateway.ts';
import { answerList, startScripted } from '../pass-through/scripted-backend.ts';
import { findHeaders, META } from '../stateless-edge/requests.ts';
import { startHeaderBackend } from './header-backend.ts';

const ID = { type: 'integer', 'x-mcp-header': 'Id' };
const SCHEMA = { type: 'object', properties: { a: { type: 'object', properties: { id: ID } } } };

/** Calls the tool with an argument in this spelling, and for a stateless client with this header; returns the response as text. */
type Caller = (id: string, header?: string) => Promise<string>;

const messageOf = (id: string, meta?: object) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_tool",${meta === undefined ? '' : `"_meta":${JSON.stringify(meta)},`}"arguments":{"a":{"id":1},"a":{"id":${id}}}}}`;

async function inSession({ url }: TestGateway): Promise<Caller> {
  const client = new RawClient(url);
  await client.open();
  return async id => (await client.sendText(messageOf(id))).text;
}

async function stateless({ url }: TestGateway): Promise<Caller> {
  return async (id, header = id) => {
    const headers = { 'Mcp-Param-Id': header };
    const request = { method: 'tools/call', params: { name: 'a_tool' }, headers };
    return (await post(url, messageOf(id, META), findHeaders(request))).text;
  };
}

async function serve() {
  const backend = await startHeaderBackend();
  backend.properties = SCHEMA.properties;
  const gateway = await startGateway({ backends: [backendPlan('a', backend.url)] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  const bodies = () =>
    backend.requests.filter(({ message }) => message?.method === 'tools/call').map(({ body }) => body);
  return { backend, gateway, bodies };
}

const REFUSAL = {
  code: -32602,
  message:
    'params.arguments.a.id goes into the mcp-param-id header, where a number must be whole and from -9007199254740991 to 9007199254740991',
};

const FIT = [
  ['9007199254740991', '9007199254740991'],
  ['-9007199254740991', '-9007199254740991'],
  ['42.0', '42'],
  ['-0', '0'],
] as const;

const UNFIT = ['9007199254740992', '9007199254740993', '12345678901234567890', '1e21', '1.5', '9007199254740991.4'];

describe.each([
  ['in a session', inSession],
  ['without a session', stateless],
] as const)('a client %s', (_, connect) => {
  test.each(FIT)(
    'a stateless backend gets the number %s in the header as %s, and unchanged in the message',
    async (id, header) => {
      const { backend, gateway, bodies } = await serve();
      const call = await connect(gateway);
      expect(await call(id)).toContain('"result"');
      expect(backend.calls).toEqual([{ 'mcp-param-id': header }]);
      expect(bodies()[0]).toContain(`{"id":${id}}`);
    },
  );

  test('a client gets an error for a number that does not fit into a header, and the backend does not get the call', async () => {
    const { backend, gateway } = await serve();
    const call = await connect(gateway);
    for (const id of UNFIT) expect(JSON.parse(await call(id)).error).toEqual(REFUSAL);
    expect(await call('7')).toContain('"result"');
    expect(backend.calls).toEqual([{ 'mcp-param-id': '7' }]);
  });
});

test('a stateless backend gets a number with an exponent in the header in plain decimal', async () => {
  const { backend, gateway } = await serve();
  expect(await (await inSession(gateway))('1E2')).toContain('"result"');
  expect(await (await stateless(gateway))('1E2', '100')).toContain('"result"');
  expect(backend.calls).toEqual([{ 'mcp-param-id': '100' }, { 'mcp-param-id': '100' }]);
});

test.each([
  ['9007199254740991', '9007199254740990'],
  ['9007199254740991', '9007199254740991.4'],
  ['7', '6.9999999999999999999'],
  ['100', '1e2'],
])('the gateway refuses a stateless call whose header %s does not match the number %s', async (id, header) => {
  const { backend, gateway } = await serve();
  expect(JSON.parse(await (await stateless(gateway))(id, header)).error.code).toBe(-32020);
  expect(backend.calls).toEqual([]);
});

test('a backend with sessions gets any number, since it gets no headers', async () => {
  const backend = await startScripted('a', 'json', call => {
    const tool = JSON.stringify({ name: 'tool', inputSchema: SCHEMA });
    if (!answerList(call, { 'tools/list': tool })) call.answer('"result":{"content":[]}');
  });
  const gateway = await startGateway({ backends: [backend.plan] });
  onTestFinished(async () => {
    await gateway.stop();
    await backend.close();
  });
  await gateway.ready();
  const call = await inSession(gateway);
  for (const id of UNFIT) {
    expect(await call(id)).toContain('"result"');
    const request = await backend.waitFor(({ body }) => body.includes(`{"id":${id}}`));
    expect(request.headers['mcp-param-id']).toBeUndefined();
  }
});
