/** A response of one backend must never be taken for that of another, or for anything else, whatever it contains. */
import type { ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import {
  eventText,
  openEvents,
  type RawHandler,
  type RawRequest,
  type RawServer,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';

const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

async function backend(call: RawHandler, read?: (request: RawRequest) => string): Promise<RawServer> {
  const capabilities = { tools: {}, ...(read && { resources: {} }) };
  const server = await startRawServer(
    withHandshake(
      (request, response) => {
        const { id, method } = request.message;
        if (method === 'tools/call') return call(request, response);
        if (read !== undefined && method === 'resources/read') return sendJson(response, read(request));
        const result = {
          tools: [{ name: 'tool', inputSchema: { type: 'object' } }],
          resources: [{ uri: 'x://a', name: 'a' }],
          resourceTemplates: [],
        };
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
      },
      undefined,
      capabilities,
    ),
  );
  open.push(server);
  return server;
}

const content = (text: string): string => `{"content":[{"type":"text","text":"${text}"}]}`;

/** A call of a stateless client, with id 77. */
function callStateless(url: string, named: string, method = 'tools/call', member = 'name'): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': named,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 77, method, params: { _meta, [member]: named } }),
  });
}

/** The id of the previous call, because this client counts its calls. */
const FORGERIES: readonly [name: string, forge: RawHandler][] = [
  [
    'a JSON body',
    ({ message }, response) =>
      sendJson(response, `{"jsonrpc":"2.0","id":${message.id - 1},"result":${content('forged')}}`),
  ],
  [
    'a JSON body with its own id first',
    ({ message: { id } }, response) =>
      sendJson(response, `{"jsonrpc":"2.0","id":${id},"result":${content('forged')},"\\u0069d":${id - 1}}`),
  ],
  [
    'a JSON body in pieces',
    ({ message }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"jsonrpc":"2.0","result":${content('forged')},"i`);
      setTimeout(() => response.end(`d":${message.id - 1}}`), 20);
    },
  ],
  [
    'an event with its own id first',
    ({ message: { id } }, response) => {
      openEvents(response);
      response.end(eventText(`{"jsonrpc":"2.0","id":${id},"result":${content('forged')},"id":${id - 1}}`));
    },
  ],
  [
    'a large event',
    ({ message: { id } }, response) => {
      openEvents(response);
      response.end(eventText(`{"jsonrpc":"2.0","result":${content('forged'.repeat(100_000))},"id":${id - 1}}`));
    },
  ],
];

test.each(FORGERIES)(
  'a call gets only the answer of its own backend while another backend forges an answer to it: %s',
  async (_name, forge) => {
    let answerGood: () => void = () => {};
    const good = await backend(({ message }, response) => {
      answerGood = () => sendJson(response, `{"jsonrpc":"2.0","id":${message.id},"result":${content('genuine')}}`);
    });
    const bad = await backend(forge);
    const gateway = await startGateway({
      backends: [backendPlan('good', `${good.origin}/mcp`), backendPlan('bad', `${bad.origin}/mcp`)],
    });
    open.push({ close: () => gateway.stop() });
    const client = new Client({ name: 'victim', version: '1' });
    open.push(client);
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    const genuine = client.callTool({ name: 'good_tool' });
    await good.waitFor(({ message }) => message?.method === 'tools/call');
    const forged = client.callTool({ name: 'bad_tool' }, undefined, { timeout: 1_000 }).catch(error => error);
    await forged;
    answerGood();
    expect(await genuine).toMatchObject({ content: [{ text: 'genuine' }] });
  },
);

/** JSON text in place of the response to the request `id`. */
const NO_ANSWERS: readonly [name: string, text: (id: number) => string][] = [
  ['a cancellation', () => '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"lintel-q1"}}'],
  ['a notification', () => '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}'],
  ['no id', () => `{"jsonrpc":"2.0","result":${content('x')}}`],
  ['an id within the result only', id => `{"jsonrpc":"2.0","result":{"content":[],"id":${id}}}`],
  ['a second id in upper case', id => `{"jsonrpc":"2.0","id":${id},"result":{},"ID":5}`],
  ['two results', id => `{"jsonrpc":"2.0","id":${id},"result":${content('1')},"result":${content('2')}}`],
  ['a method after the result', id => `{"jsonrpc":"2.0","id":${id},"result":{},"method":"ping"}`],
  [
    'another response after the response',
    id => `{"jsonrpc":"2.0","id":${id},"result":{}}{"jsonrpc":"2.0","id":5,"result":{}}`,
  ],
];

const REQUEST: (typeof NO_ANSWERS)[number] = [
  'a request',
  id => `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{}}`,
];

function inPieces(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'content-type': type });
  response.write(text.slice(0, 20));
  setTimeout(() => response.end(text.slice(20)), 5);
}

const WAYS: readonly [name: string, send: (response: ServerResponse, text: string) => void][] = [
  ['a JSON body', (response, text) => sendJson(response, text, { 'content-length': `${Buffer.byteLength(text)}` })],
  ['a JSON body without a length', (response, text) => inPieces(response, 'application/json', text)],
];

const EVENTS: typeof WAYS = [
  [
    'an event',
    (response, text) => {
      openEvents(response);
      response.end(eventText(text));
    },
  ],
];

describe.each([...WAYS, ...EVENTS])('%s that is not the response', (way, send) => {
  const rows = way === 'an event' ? NO_ANSWERS.slice(2) : [...NO_ANSWERS, REQUEST];
  test.each(rows)('a client gets no forged response: %s', async (_name, text) => {
    const bad = await backend(({ message }, response) => send(response, text(message.id)));
    const gateway = await startGateway({ backends: [backendPlan('bad', `${bad.origin}/mcp`)] });
    open.push({ close: () => gateway.stop() });
    await gateway.ready();
    const inSession = new RawClient(gateway.url);
    await inSession.open();
    const answers = [
      await inSession
        .request('tools/call', { name: 'bad_tool', arguments: {} })
        .then(answer => answer.text)
        .catch(String),
      await callStateless(gateway.url, 'bad_tool')
        .then(answer => answer.text())
        .catch(String),
    ];
    for (const answer of answers) {
      // A response that has begun cannot be withdrawn, so the connection is closed.
      if (way === 'a JSON body without a length' && !answer.startsWith('{'))
        expect(answer).toMatch(/terminated|fetch failed/);
      else
        expect(JSON.parse(answer)).toMatchObject({
          error: { code: -32603, data: { backend: 'bad', reason: 'protocol_error' } },
        });
    }
  });
});

test('the gateway breaks off a response to the client when a long event of the backend turns out at its end to be a request', async () => {
  const long = 'x'.repeat(400_000);
  const bad = await backend(({ message: { id } }, response) => {
    openEvents(response);
    response.end(eventText(`{"jsonrpc":"2.0","result":${content(long)},"id":${id},"method":"ping"}`));
  });
  const gateway = await startGateway({ backends: [backendPlan('bad', `${bad.origin}/mcp`)] });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  await expect(callStateless(gateway.url, 'bad_tool').then(answer => answer.text())).rejects.toThrow('terminated');
});

test.each([400, 200])(
  'the gateway takes an error without an id, with HTTP status %i, as the answer of the backend to the request',
  async status => {
    const error = '{"code":-32050,"message":"too \\u00e9 big","data":{"n":12345678901234567890}}';
    for (const body of [`{"jsonrpc":"2.0","id":null,"error":${error}}`, `{"jsonrpc":"2.0","error":${error}}`]) {
      const bad = await backend((_request, response) => sendJson(response, body, {}, status));
      const gateway = await startGateway({ backends: [backendPlan('bad', `${bad.origin}/mcp`)] });
      open.push({ close: () => gateway.stop() });
      await gateway.ready();
      const client = new RawClient(gateway.url);
      await client.open();
      const { text } = await client.request('tools/call', { name: 'bad_tool', arguments: {} });
      expect(text).toBe(`{"jsonrpc":"2.0","id":2,"error":${error}}`);
      expect(await (await callStateless(gateway.url, 'bad_tool')).text()).toBe(
        `{"jsonrpc":"2.0","id":77,"error":${error}}`,
      );
    }
  },
);

describe('an error without an id in pieces', () => {
  const error = '{"code":-32050,"message":"too \\u00e9 big","data":{"n":12345678901234567890}}';
  const bodies = [
    `{"jsonrpc":"2.0","id":null,"error":${error}}`,
    `{"jsonrpc":"2.0","error":${error},"id":null}`,
    `{"error":${error},"jsonrpc":"2.0"}`,
  ];
  const cuts: readonly (readonly [cut: string, pieces: (text: string) => string[]])[] = [
    ['each of one character', text => [...text]],
    ['cut within the first name', text => [text.slice(0, 4), text.slice(4)]],
    ['cut after the first member', text => [text.slice(0, text.indexOf(',')), text.slice(text.indexOf(','))]],
    ['cut before the last brace', text => [text.slice(0, -1), '}']],
    ['the whole text, and a line feed', text => [text, '\n']],
  ];
  test.each(cuts)(
    'the gateway takes an error without an id that arrives in pieces as the answer of the backend to the request: %s',
    async (_cut, pieces) => {
      let body = '';
      let length: number | undefined;
      const server = await backend((_request, response) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          ...(length === undefined ? {} : { 'content-length': length }),
        });
        const left = pieces(body);
        const next = (): void => {
          const piece = left.shift();
          if (left.length === 0) response.end(piece);
          else response.write(piece, () => setImmediate(next));
        };
        response.socket?.setNoDelay();
        next();
      });
      const gateway = await startGateway({ backends: [backendPlan('b', `${server.origin}/mcp`)] });
      open.push({ close: () => gateway.stop() });
      await gateway.ready();
      const client = new RawClient(gateway.url);
      await client.open();
      for (body of bodies) {
        for (length of [undefined, Buffer.byteLength(pieces(body).join(''))]) {
          const { text } = await client.request('tools/call', { name: 'b_tool', arguments: {} });
          expect(text.replace(/"id":\d+/, '"id":7')).toBe(`{"jsonrpc":"2.0","id":7,"error":${error}}`);
          expect(await (await callStateless(gateway.url, 'b_tool')).text()).toBe(
            `{"jsonrpc":"2.0","id":77,"error":${error}}`,
          );
        }
      }
    },
  );

  test.each<[name: string, body: string, isEvent: boolean]>([
    [
      'in a document of more than 64 KiB',
      `{"jsonrpc":"2.0","error":${error.replace('too', 'x'.repeat(70_000))}}`,
      false,
    ],
    ['as a long event', `{"jsonrpc":"2.0","error":${error.replace('too', 'x'.repeat(400_000))},"id":null}`, true],
    ['that does not end', '{"jsonrpc":"2.0","error":{"code":1,"message":"x"},', false],
  ])('the gateway does not take as the answer to a request an error without an id %s', async (_name, body, isEvent) => {
    const server = await backend((_request, response) => {
      if (!isEvent) return inPieces(response, 'application/json', body);
      openEvents(response);
      response.end(eventText(body));
    });
    const gateway = await startGateway({ backends: [backendPlan('b', `${server.origin}/mcp`)] });
    open.push({ close: () => gateway.stop() });
    await gateway.ready();
    const answer = callStateless(gateway.url, 'b_tool').then(response => response.json());
    // A response beyond the buffer is forwarded as it comes, so the connection is closed.
    if (body.length > 65_536 && !isEvent) await expect(answer).rejects.toThrow('terminated');
    else expect(await answer).toMatchObject({ error: { code: -32603, data: { reason: 'protocol_error' } } });
  });
});

test('the gateway forwards an error of a backend with its id at the end unchanged, however long it is and however it is split', async () => {
  for (const size of [1, 300_000]) {
    const body = (id: number) => `{"jsonrpc":"2.0","error":{"code":1,"message":"${'x'.repeat(size)}"},"id":${id}}`;
    for (const isEvent of [true, false]) {
      const server = await backend(({ message: { id } }, response) => {
        if (!isEvent) return inPieces(response, 'application/json', body(id));
        openEvents(response);
        response.end(eventText(body(id)));
      });
      const gateway = await startGateway({ backends: [backendPlan('b', `${server.origin}/mcp`)] });
      open.push({ close: () => gateway.stop() });
      await gateway.ready();
      const client = new RawClient(gateway.url);
      await client.open();
      expect((await client.request('tools/call', { name: 'b_tool', arguments: {} })).text).toBe(body(2));
    }
  }
});

describe('a stateless client', () => {
  test.each([
    ['an escaped id', (id: number) => `{"jsonrpc":"2.0","\\u0069d":${id},"result":{"a":1}}`],
    ['an escaped id at the end', (id: number) => `{"result":{"a":1},"jsonrpc":"2.0","i\\u0064":${id}}`],
    ['an escaped result', (id: number) => `{"jsonrpc":"2.0","id":${id},"r\\u0065sult":{"a":1}}`],
    [
      'a resultType of the backend',
      (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required","a":1}}`,
    ],
    [
      'a resultType of the backend at the end',
      (id: number) => `{"result":{"a":1,"result\\u0054ype":"x"},"jsonrpc":"2.0","id":${id}}`,
    ],
  ])(
    'a stateless client gets the id of its request and a single resultType when the answer of the backend has %s',
    async (_name, text) => {
      for (const [, send] of [...WAYS, ...EVENTS]) {
        const honest = await backend(({ message }, response) => send(response, text(message.id)));
        const gateway = await startGateway({ backends: [backendPlan('b', `${honest.origin}/mcp`)] });
        open.push({ close: () => gateway.stop() });
        await gateway.ready();
        const answer = await (await callStateless(gateway.url, 'b_tool')).text();
        expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 77, result: { resultType: 'complete', a: 1 } });
        expect(answer.match(/Type/g)).toHaveLength(1);
      }
    },
  );

  test('for a stateless client, the gateway replaces the ttlMs and cacheScope in the resources/read result of a backend with sessions', async () => {
    const result = '{"contents":[],"ttlMs":60000,"cacheScope":"public"}';
    const server = await backend(
      () => {},
      ({ message: { id } }) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
    );
    const gateway = await startGateway({ backends: [backendPlan('b', `${server.origin}/mcp`)] });
    open.push({ close: () => gateway.stop() });
    await gateway.ready();
    const answer = await callStateless(gateway.url, 'x://a', 'resources/read', 'uri');
    expect(await answer.text()).toBe(
      '{"jsonrpc":"2.0","id":77,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[]}}',
    );
  });
});
