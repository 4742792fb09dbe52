/**
 * Tools whose stateless backend begins to declare arguments as headers (`x-mcp-header`) after the gateway has read its list, and headers of
 * clients that the gateway does not know.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { IDENTITY, type RawRequest, sendJson, startRawServer } from '../../support/raw-server.ts';
import { post } from '../client-edge/fake-gateway.ts';
import { ask, findHeaders, formatRequest } from '../stateless-edge/requests.ts';
import { PLAIN, pickParamHeaders, type Schema, startHeaderBackend, WITH_REGION } from './header-backend.ts';

async function startWorld(properties = PLAIN) {
  const backend = await startHeaderBackend();
  backend.properties = properties;
  const gateway = await startGateway({ backends: [backendPlan('a', backend.url)] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return { backend, gateway };
}

type Answer = { readonly result?: { readonly content?: unknown }; readonly error?: { code: number; message: string } };
type Caller = (args: Record<string, unknown>, headers?: Record<string, string>) => Promise<Answer>;

/** A client that calls the tool. */
const CLIENTS: Record<string, (gateway: TestGateway) => Promise<Caller>> = {
  'in a session': async gateway => {
    const client = new RawClient(gateway.url);
    await client.open();
    return async args => JSON.parse((await client.request('tools/call', { name: 'a_tool', arguments: args })).text);
  },
  stateless: async gateway => async (args, headers) => {
    const params = { name: 'a_tool', arguments: args };
    return JSON.parse((await ask(gateway.url, { method: 'tools/call', params, ...(headers && { headers }) })).text);
  },
};

const RAN = { result: { content: [{ type: 'text', text: 'ran' }] } };

describe.each(Object.entries(CLIENTS))('a client %s', (_, connect) => {
  test.each<[string, Schema, Record<string, unknown>, Record<string, string>]>([
    ['an argument', WITH_REGION, { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [
      'an argument that has to be encoded',
      WITH_REGION,
      { region: '北\n' },
      { 'mcp-param-region': '=?base64?5YyXCg==?=' },
    ],
    [
      'a number within an object',
      { place: { type: 'object', properties: { zone: { type: 'integer', 'x-mcp-header': 'Zone' } } } },
      { place: { zone: 7 } },
      { 'mcp-param-zone': '7' },
    ],
  ])('a client does not notice when a tool begins to require a header for %s', async (_, properties, args, headers) => {
    const { backend, gateway } = await startWorld();
    const call = await connect(gateway);
    expect(await call(args)).toMatchObject(RAN);
    backend.properties = properties;
    expect(await call(args)).toMatchObject(RAN);
    expect(await call(args, headers)).toMatchObject(RAN);
    // Once as before, once refused and sent again; from then on the header is known.
    expect(backend.calls).toEqual([{}, {}, headers, headers]);
  });

  test('a client does not notice when a tool requires a header for another argument than before', async () => {
    const { backend, gateway } = await startWorld(WITH_REGION);
    const call = await connect(gateway);
    const known = { region: 'eu', place: { zone: 'b' } };
    backend.properties = {
      ...PLAIN,
      place: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Region' } } },
    };
    expect(await call(known, { 'Mcp-Param-Region': 'eu' })).toMatchObject(RAN);
    expect(backend.calls).toEqual([{ 'mcp-param-region': 'eu' }, { 'mcp-param-region': 'b' }]);
  });

  test('a client gets the refusal unchanged when the tool requires no new header, and the call is not repeated', async () => {
    const { backend, gateway } = await startWorld();
    backend.refusal = () => 'never good';
    const call = await connect(gateway);
    expect(await call({ region: 'eu' })).toMatchObject({ error: { code: -32020, message: 'never good' } });
    expect(backend.calls).toHaveLength(1);
  });

  test('a client gets the second refusal when the call is refused with the new headers as well', async () => {
    const { backend, gateway } = await startWorld();
    const call = await connect(gateway);
    backend.properties = WITH_REGION;
    backend.refusal = headers => `no good: ${headers['mcp-param-region']}`;
    expect(await call({ region: 'eu' })).toMatchObject({ error: { code: -32020, message: 'no good: eu' } });
    expect(backend.calls).toEqual([{}, { 'mcp-param-region': 'eu' }]);
  });

  test('a client gets the second refusal when the tool requires different headers each time that the gateway reads the tool list', async () => {
    const { backend, gateway } = await startWorld();
    const call = await connect(gateway);
    backend.onList = () => {
      backend.properties = { region: { type: 'string', 'x-mcp-header': `R${backend.lists}` } };
      return undefined;
    };
    backend.refusal = () => 'never good';
    expect(await call({ region: 'eu' })).toMatchObject({ error: { code: -32020, message: 'never good' } });
    expect(backend.calls).toEqual([{}, { [`mcp-param-r${backend.lists}`]: 'eu' }]);
  });

  test('a client gets the refusal of missing headers when the gateway cannot read the tool list again', async () => {
    const { backend, gateway } = await startWorld();
    const call = await connect(gateway);
    backend.properties = WITH_REGION;
    backend.onList = () => true;
    expect(await call({ region: 'eu' })).toMatchObject({ error: { code: -32020 } });
    expect(backend.calls).toHaveLength(1);
  });

  test.each([
    ['an invalid header declaration', { type: 'number', 'x-mcp-header': 'Other' }],
    ['an invalid schema', { type: 'nonsense' }],
  ])(
    'a client gets the refusal of its call if the definition of the tool that the gateway reads again has %s',
    async (_, other) => {
      const { backend, gateway } = await startWorld();
      const call = await connect(gateway);
      backend.refusal = () => 'refused';
      backend.properties = { ...WITH_REGION, other };
      expect(await call({ region: 'eu' })).toMatchObject({ error: { code: -32020, message: 'refused' } });
      expect(backend.calls).toHaveLength(1);
    },
  );
});

test('the gateway reads the tool list once for many calls that the backend refuses at the same time', async () => {
  const { backend, gateway } = await startWorld();
  const callers = await Promise.all(Object.values(CLIENTS).map(connect => connect(gateway)));
  const before = backend.lists;
  backend.properties = WITH_REGION;
  // The list is not answered before all calls have been refused.
  const refused = Promise.withResolvers<undefined>();
  let refusals = 0;
  const { refusal } = backend;
  backend.refusal = (headers, args) => {
    const why = refusal(headers, args);
    if (why !== undefined && ++refusals === 40) setImmediate(() => refused.resolve(undefined));
    return why;
  };
  backend.onList = () => refused.promise;
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => callers[at % 2]?.({ region: 'eu' })));
  for (const answer of answers) expect(answer).toMatchObject(RAN);
  expect(backend.calls).toHaveLength(80);
  // A call that was refused while the list was being read may trigger another reading.
  expect(backend.lists - before).toBeLessThanOrEqual(2);
});

test('a client in a session can answer the question of a call whose tool begins to require a header', async () => {
  const { backend, gateway } = await startWorld();
  const client = new RawClient(gateway.url);
  await client.open('2025-11-25', { elicitation: {} });
  backend.properties = WITH_REGION;
  backend.result = ({ message }) =>
    message.params.inputResponses === undefined
      ? {
          resultType: 'input_required',
          inputRequests: {
            q: { method: 'elicitation/create', params: { message: 'who?', requestedSchema: { type: 'object' } } },
          },
        }
      : { content: [{ type: 'text', text: JSON.stringify(message.params.inputResponses) }] };
  const said: Answer[] = [];
  for await (const text of client.stream('tools/call', { name: 'a_tool', arguments: { region: 'eu' } })) {
    const message = JSON.parse(text);
    said.push(message);
    if (message.method === 'elicitation/create') {
      await client.send({ jsonrpc: '2.0', id: message.id, result: { action: 'accept', content: { who: 'ann' } } });
    }
  }
  expect(JSON.stringify(said.at(-1)?.result?.content)).toContain('ann');
  expect(backend.calls.at(-1)).toEqual({ 'mcp-param-region': 'eu' });
});

test('a cancelled call is not sent again with the new headers', async () => {
  const { backend, gateway } = await startWorld();
  const client = new RawClient(gateway.url);
  await client.open();
  backend.properties = WITH_REGION;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<undefined>();
  backend.onList = () => {
    asked.resolve();
    return answer.promise;
  };
  const params = { name: 'a_tool', arguments: { region: 'eu' } };
  const call = client.send({ jsonrpc: '2.0', id: 'gone', method: 'tools/call', params });
  await asked.promise;
  await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gone' } });
  await call;
  answer.resolve(undefined);
  // A later request in the same session: any repetition would have been sent by then.
  expect((await client.request('tools/call', params)).text).toContain('ran');
  const repeated = backend.calls.filter(headers => 'mcp-param-region' in headers);
  expect(repeated).toEqual([{ 'mcp-param-region': 'eu' }]);
});

describe('an Mcp-Param header that the gateway does not know', () => {
  const known = { 'mcp-param-region': 'eu' };
  const call = async (gateway: TestGateway, headers: Record<string, string>, args: object = { region: 'eu' }) => {
    const params = { name: 'a_tool', arguments: args };
    const { status, text } = await ask(gateway.url, { method: 'tools/call', params, headers });
    return { status, ...(JSON.parse(text) as Answer) };
  };

  test('a stateless backend gets an unknown Mcp-Param header of a client unchanged, in upper or lower case', async () => {
    const { backend, gateway } = await startWorld();
    const encoded = '=?base64?5YyX?=';
    const headers = { 'Mcp-Param-Region': 'eu', 'MCP-PARAM-Other': encoded, 'mcp-param-Bytes': '\u00e9' };
    const request = { method: 'tools/call', params: { name: 'a_tool' }, headers };
    // A text that would make Node write the headers as UTF-8 if it were in the body.
    expect(await post(gateway.url, Buffer.from(formatRequest(request)), findHeaders(request))).toMatchObject({
      status: 200,
    });
    expect(backend.calls).toEqual([{ ...known, 'mcp-param-other': encoded, 'mcp-param-bytes': '\u00e9' }]);
  });

  test('a call needs no second attempt if its client sends the Mcp-Param header that the tool begins to require', async () => {
    const { backend, gateway } = await startWorld();
    backend.properties = WITH_REGION;
    expect(await call(gateway, { 'Mcp-Param-Region': 'eu' })).toMatchObject(RAN);
    expect(backend.calls).toEqual([known]);
  });

  test('an Mcp-Param header that contradicts its argument is refused, first by the backend and then by the gateway, which never corrects it', async () => {
    const { backend, gateway } = await startWorld();
    backend.properties = WITH_REGION;
    const answer = await call(gateway, { 'Mcp-Param-Region': 'us' });
    expect(answer).toMatchObject({ status: 400, error: { code: -32020 } });
    expect(backend.calls).toEqual([{ 'mcp-param-region': 'us' }]);
    // The header is known now.
    expect(await call(gateway, { 'Mcp-Param-Region': 'us' })).toMatchObject({ status: 400, error: { code: -32020 } });
    expect(backend.calls).toHaveLength(1);
  });

  test('an unknown Mcp-Param header does not replace a header that the gateway makes from an argument', async () => {
    const { backend, gateway } = await startWorld();
    backend.properties = { ...WITH_REGION, mode: { type: 'string', 'x-mcp-header': 'Mode' } };
    expect(await call(gateway, { 'Mcp-Param-Mode': 'x' }, { region: 'eu', mode: 'x' })).toMatchObject(RAN);
    expect(backend.calls.at(-1)).toEqual({ ...known, 'mcp-param-mode': 'x' });
    const headers = { 'Mcp-Param-Region': 'eu', 'Mcp-Param-Mode': 'x', 'Mcp-Param-Free': 'y' };
    expect(await call(gateway, headers, { region: 'eu', mode: 'x' })).toMatchObject(RAN);
    expect(backend.calls.at(-1)).toEqual({ ...known, 'mcp-param-mode': 'x', 'mcp-param-free': 'y' });
    // A tool with a header for a missing argument gets no header.
    expect(await call(gateway, { ...headers }, { region: 'eu' })).toMatchObject({ error: { code: -32020 } });
    expect(backend.calls).toHaveLength(3);
  });

  test.each([
    ['prompts/get', { name: 'a_prompt' }],
    ['resources/read', { uri: 'x://a' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a_prompt' }, argument: { name: 'x', value: '' } }],
  ])('a stateless backend gets an unknown Mcp-Param header with %s', async (method, params) => {
    const { backend, gateway } = await startWorld();
    await ask(gateway.url, { method, params, headers: { 'Mcp-Param-Region': 'eu' } });
    expect(backend.calls).toEqual([known]);
  });

  test('the gateway forwards only Mcp-Param headers of a client', async () => {
    const { backend, gateway } = await startWorld();
    await call(gateway, {
      'Mcp-Param-Region': 'eu',
      'Mcp-Parameter': 'x',
      'Xmcp-Param-A': 'x',
      'Mcp-Paral-Bcdefg': 'x',
    });
    const { headers } = backend.requests.find(({ message }) => message.method === 'tools/call') as RawRequest;
    const own = ['mcp-method', 'mcp-name', 'mcp-param-region', 'mcp-protocol-version'];
    expect(
      Object.keys(headers)
        .filter(name => name.includes('mcp'))
        .toSorted(),
    ).toEqual(own);
  });

  test('a backend with sessions gets no Mcp-Param header', async () => {
    const server = await startRawServer((request, response) => {
      const { id, method } = request.message ?? {};
      const result =
        method === 'initialize'
          ? IDENTITY
          : method === 'tools/list'
            ? { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] }
            : { content: [{ type: 'text', text: 'ran' }] };
      if (request.method !== 'POST') response.writeHead(405).end();
      else if (id === undefined) response.writeHead(202).end();
      else if (method === 'server/discover') {
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
      } else sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    onTestFinished(() => server.close());
    await using gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
    expect(await call(gateway, { 'Mcp-Param-Region': 'eu' })).toMatchObject(RAN);
    expect(
      server.requests.map(({ headers }) => pickParamHeaders(headers)).filter(found => Object.keys(found).length > 0),
    ).toEqual([]);
  });
});
