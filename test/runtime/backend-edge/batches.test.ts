/** Batches that backends send (only in revision 2025-03-26): the gateway treats each message as if it had come alone, its bytes unchanged. */
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { splitBatch } from '../../../runtime/gateway/backends/messages/batch.ts';
import { MAX_BATCH_MESSAGES } from '../../../runtime/mcp/read-batch.ts';
import {
  eventText,
  IDENTITY,
  openEvents,
  type RawRequest,
  type RawServer,
  sendJson,
  startRawServer,
} from '../../support/raw-server.ts';
import { Edge, eventually, planFor, RecordingSink, send } from './harness.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

describe('splitting a batch', () => {
  const textsOf = (json: string) => splitBatch(Buffer.from(json))?.map(String);

  test.each([
    ['text that is not an array', '{"a":1}', undefined],
    ['an empty batch', ' [ ] ', undefined],
    ['a batch of a single message', '[{"a":1}]', ['{"a":1}']],
    ['white space between messages', ' [\n{"a" : 1}\t,\r{"b":[1,2]} ] \n', ['{"a" : 1}', '{"b":[1,2]}']],
    ['brackets within strings', '[{"a":"]},\\"["},{"b":"\\\\"}]', ['{"a":"]},\\"["}', '{"b":"\\\\"}']],
    ['values that are not messages', '[1,"a",[2],null]', ['1', '"a"', '[2]', 'null']],
    [
      'responses before other messages',
      '[{"id":1,"result":{}},{"method":"a"},{"id":2,"error":{}},{"id":3,"method":"b"}]',
      ['{"method":"a"}', '{"id":3,"method":"b"}', '{"id":1,"result":{}}', '{"id":2,"error":{}}'],
    ],
    ['a missing element', '[{},,{}]', undefined],
    ['a comma at the end', '[{},]', undefined],
    ['an unfinished array', '[{}', undefined],
    ['an unfinished string', '[{"a', undefined],
    ['a character after the end', '[{}]]', undefined],
    ['a closing bracket too many', '[{}}]', undefined],
    ['an empty text', '', undefined],
    ['the maximum number of messages', `[${Array(MAX_BATCH_MESSAGES).fill('1')}]`, Array(MAX_BATCH_MESSAGES).fill('1')],
    ['more than the maximum number of messages', `[${Array(MAX_BATCH_MESSAGES + 1).fill('1')}]`, undefined],
  ])('the gateway splits a JSON-RPC batch into its messages: %s', (_name, json, texts) =>
    expect(textsOf(json)).toEqual(texts),
  );

  test('the gateway splits any batch into the same messages as a JSON parser, each with unchanged bytes', () => {
    const value = fc.json().filter(text => !('id' in Object(JSON.parse(text))));
    const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 3 });
    const batch = fc.array(fc.tuple(space, value, space), { minLength: 1, maxLength: MAX_BATCH_MESSAGES });
    fc.assert(
      fc.property(batch, members => {
        const texts = textsOf(`[${members.map(member => member.join('')).join(',')}]`);
        expect(texts).toEqual(members.map(([, text]) => text));
      }),
      { seed: 4 },
    );
  });

  test('each message that the gateway finds in any text of brackets and quotes is a substring of the text', () => {
    const wild = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', ' ', '1', 'é'), maxLength: 40 });
    fc.assert(
      fc.property(wild, text => {
        for (const found of textsOf(text) ?? []) expect(text).toContain(found);
      }),
      { seed: 4, numRuns: 2_000 },
    );
  });
});

const OLD = '2025-03-26';
/** JSON that both a parser and a serializer would change. */
const NOTE = '{ "jsonrpc":"2.0", "method":"notifications/message", "params":{"level":"info","data":1.50} }';
const QUESTION = '{"jsonrpc":"2.0","id":"q","method":"roots/list"}';
const answerTo = (id: unknown, result = '{"n":12345678901234567890}') =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

const initialized = (request: RawRequest, protocolVersion: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result: { ...IDENTITY, protocolVersion } });

/** The ways in which a batch answers a POST. */
const WAYS: readonly (readonly [string, (response: ServerResponse, batch: string) => void])[] = [
  ['a JSON body', (response, batch) => sendJson(response, batch)],
  [
    'a JSON body in pieces',
    (response, batch) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(batch.slice(0, 40));
      setImmediate(() => response.end(batch.slice(40)));
    },
  ],
  [
    'an event',
    (response, batch) => {
      openEvents(response);
      response.end(eventText(batch));
    },
  ],
];

async function streamable(revision: string, answer: (request: RawRequest, response: ServerResponse) => void) {
  const server = await edge.server(
    startRawServer((request, response) => {
      const { message, method } = request;
      if (method === 'GET') response.writeHead(405).end();
      else if (message?.method === 'initialize') sendJson(response, initialized(request, revision));
      else if (message?.id === undefined || message.method === undefined) response.writeHead(202).end();
      else answer(request, response);
    }),
  );
  return { server, session: edge.sessionful(planFor(server.origin)) };
}

describe.each(WAYS)('over Streamable HTTP, as %s', (_, write) => {
  test('a call gets from one batch its own response and the notifications, but no response to another request', async () => {
    const { session } = await streamable(OLD, ({ message }, response) => {
      write(response, `[${answerTo('another')}, ${answerTo(message.id)} ,${NOTE}]`);
    });
    const sink = await send(session, 'tools/call');
    expect([sink.text, sink.messages.map(textOf)]).toEqual([answerTo(JSON.parse(idOf(sink))), [NOTE]]);
    expect(sink.length).toBe(sink.text.length);
  });

  test('a call gets the JSON-RPC error that its backend sends in a batch', async () => {
    const { session } = await streamable(OLD, ({ message }, response) => {
      write(response, `[{"jsonrpc":"2.0","id":${message.id},"error":{"code":-1,"message":"no"}}]`);
    });
    expect(JSON.parse((await send(session, 'tools/call')).text)).toMatchObject({ error: { code: -1, message: 'no' } });
  });

  test('the gateway refuses a request of a backend in a batch if no client accepts the request', async () => {
    const { session, server } = await streamable(OLD, ({ message }, response) => {
      write(response, `[${QUESTION},${answerTo(message.id)}]`);
    });
    await send(session, 'tools/call');
    const refusal = await server.waitFor(({ message }) => message?.id === 'q');
    expect(refusal.message).toMatchObject({ error: { code: -32601 } });
  });

  test('the gateway forwards a request of a backend in a batch to a client that accepts such requests', async () => {
    const { session } = await streamable(OLD, ({ message }, response) => {
      write(response, `[${QUESTION},${answerTo(message.id)}]`);
    });
    const asked: unknown[] = [];
    const sink = Object.assign(new RecordingSink(), { request: (...all: unknown[]) => void asked.push(all) });
    await send(session, 'tools/call', {}, { sink });
    expect(asked).toEqual([[QUESTION, '"q"', 'roots/list']]);
  });

  test.each([
    ['without its response', `[${NOTE}]`],
    ['whose response has two ids', '[{"jsonrpc":"2.0","id":ID,"result":{},"id":5}]'],
    ['of a number', '[1]'],
    ['within a batch', '[[{"jsonrpc":"2.0","id":ID,"result":{}}]]'],
    ['that is empty', '[]'],
    ['that is too long', `[${`${NOTE},`.repeat(MAX_BATCH_MESSAGES)}{"jsonrpc":"2.0","id":ID,"result":{}}]`],
    ['that is unfinished', '[{"jsonrpc":"2.0","id":ID,"result":{}}'],
  ])('a call fails when its backend answers with a batch %s, and the next call succeeds', async (_name, batch) => {
    let calls = 0;
    const { session } = await streamable(OLD, ({ message }, response) => {
      write(response, calls++ === 0 ? batch.replace('ID', message.id) : `[${answerTo(message.id)}]`);
    });
    expect((await send(session, 'tools/call')).error).toMatchObject({ reason: 'protocol_error' });
    expect((await send(session, 'tools/call')).ended).toBe(true);
  });

  test.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'a Streamable HTTP backend of revision %s may not answer with a batch',
    async revision => {
      const { session } = await streamable(revision, ({ message }, response) => {
        write(response, `[${answerTo(message.id)}]`);
      });
      expect((await send(session, 'tools/call')).error).toMatchObject({ reason: 'protocol_error' });
    },
  );
});

test('the gateway refuses a JSON body with a batch that exceeds the size limit of answers', async () => {
  const server = await edge.server(
    startRawServer((request, response) => {
      const { message } = request;
      if (message?.method === 'initialize') sendJson(response, initialized(request, OLD));
      else if (message?.id === undefined) response.writeHead(202).end();
      else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('[');
        for (let i = 0; i < 100; i++) response.write(' '.repeat(1_000));
        response.end(`${answerTo(message.id)}]`);
      }
    }),
  );
  const session = edge.sessionful(planFor(server.origin), edge.client({ maxResponseBytes: 50_000 }));
  expect((await send(session, 'tools/call')).error).toMatchObject({ reason: 'too_large' });
});

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

/** What a notification stream receives. */
function listenTo(session: ReturnType<Edge['session']>) {
  const heard: unknown[] = [];
  session.listen({
    message: message => void heard.push(textOf(message)),
    request: (text, id, method) => void heard.push([text, id, method]),
  });
  return heard;
}

test.each([
  [OLD, [CHANGED, NOTE, [QUESTION, '"q"', 'roots/list'], CHANGED]],
  ['2025-11-25', [CHANGED]],
])(
  'the gateway reads messages from the GET stream of a backend of revision %s, and batches only if the revision has batches',
  async (revision, expected) => {
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.method === 'GET') {
          openEvents(response);
          response.write(eventText(`[${CHANGED},${NOTE},${QUESTION}]`) + eventText(CHANGED));
        } else if (request.message?.method === 'initialize') sendJson(response, initialized(request, revision));
        else response.writeHead(202).end();
      }),
    );
    const heard = listenTo(edge.sessionful(planFor(server.origin)));
    await eventually(() => heard.length >= expected.length);
    expect(heard).toEqual(expected);
  },
);

describe('over HTTP+SSE', () => {
  /** Answers two requests together, when both have arrived. */
  async function pair(revision: string) {
    let stream: ServerResponse | undefined;
    const ids: unknown[] = [];
    const server: RawServer = await edge.server(
      startRawServer((request, response) => {
        const { message, method } = request;
        if (method === 'GET') {
          stream = response;
          openEvents(response);
          response.write(eventText('/in', 'endpoint'));
          return;
        }
        response.writeHead(202).end();
        if (message.method === 'initialize') stream?.write(eventText(initialized(request, revision)));
        else if (message.id !== undefined && message.method !== undefined && ids.push(message.id) === 2) {
          const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`;
          const answers = ids.map(id => answerTo(id)).join(',');
          stream?.write(eventText(`[${answers},${progress},${CHANGED},7,${QUESTION}]`));
        }
      }),
    );
    return edge.session(planFor(`${server.origin}/sse`, 'sse', 500));
  }

  test('the gateway delivers each message of an HTTP+SSE batch to the call or listener it is for', async () => {
    const session = await pair(OLD);
    const heard = listenTo(session);
    const [first, second] = await Promise.all([
      send(session, 'tools/call', { _meta: { progressToken: 't' } }),
      send(session, 'tools/call'),
    ]);
    expect(first.text).toBe(answerTo(JSON.parse(idOf(first))));
    expect(second.text).toBe(answerTo(JSON.parse(idOf(second))));
    expect([first.messages.length, second.messages.length]).toEqual([1, 0]);
    expect(heard).toEqual([CHANGED, [QUESTION, '"q"', 'roots/list']]);
  });

  test.each(['2024-11-05', '2025-11-25'])('an HTTP+SSE backend of revision %s may not send a batch', async revision => {
    const session = await pair(revision);
    const sinks = await Promise.all([send(session, 'tools/call'), send(session, 'tools/call')]);
    expect(sinks.map(({ error }) => error?.reason)).toEqual(['timeout', 'timeout']);
  });
});

const idOf = ({ text }: RecordingSink): string => JSON.stringify(JSON.parse(text).id);

/** A notification as the notification stream gets it. */
function textOf(message: string | { readonly text: string }): string {
  return typeof message === 'string' ? message : message.text;
}
