import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_BATCH_MESSAGES } from '../../../runtime/mcp/read-batch.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';
import { call, initialize, open, post, type Reply, readUntil, startGateway } from './fake-gateway.ts';

const OPTIONS = { seed: 20261122, numRuns: runs(300) } as const;

/** HTTP statuses that a body alone may cause; any other is a bug. */
const STATUSES = [200, 202, 400, 413, 429];

const CODES = [-32700, -32600, -32602, -32601, -32000, -32001];

const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }));

/** Members with a meaning, whose values may be invalid: two thirds of the decisions depend on them. */
const message = fc
  .tuple(
    fc.record(
      {
        jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant('2.0') }, fc.jsonValue()),
        id: fc.oneof({ weight: 3, arbitrary: fc.integer() }, text, fc.jsonValue()),
        method: fc.oneof(fc.constantFrom('ping', 'tools/list', 'notifications/initialized', 'initialize'), text),
        params: fc.oneof(
          fc.record({ name: text, uri: text, cursor: text, requestId: fc.jsonValue() }, { requiredKeys: [] }),
          fc.jsonValue(),
        ),
        result: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }),
  )
  .map(([known, unknown]) => JSON.stringify({ ...unknown, ...known }));

/** A text with some characters removed and others inserted. */
const damaged = fc
  .tuple(message, fc.nat(), fc.nat(6), fc.string({ unit: anyCharacter, maxLength: 6 }))
  .map(([whole, at, cut, insert]) => {
    const start = at % (whole.length + 1);
    return whole.slice(0, start) + insert + whole.slice(start + cut);
  });

const nested = fc
  .tuple(fc.constantFrom('[', '{"a":', '{"params":', '[[{"id":'), fc.integer({ min: 1, max: 5000 }))
  .map(([open, levels]) => open.repeat(levels));

const batch = fc
  .array(fc.oneof(message, damaged, fc.json()), { maxLength: MAX_BATCH_MESSAGES + 5, size: '-1' })
  .map(members => `[${members.join(',')}]`);

const body = fc.oneof(
  message,
  damaged,
  batch,
  nested,
  fc.json(),
  text,
  fc.uint8Array({ maxLength: 60 }),
  fc.integer({ min: 60_000, max: 70_000 }).map(length => `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(length)}"}`),
);

/** The allowed outcomes for a body: a JSON-RPC error with a documented code, or no response. */
function checkReply(reply: Reply): void {
  expect(STATUSES).toContain(reply.status);
  if (reply.status === 202) {
    expect(reply.text).toBe('');
    return;
  }
  const isStream = reply.headers['content-type'] === 'text/event-stream';
  const texts = isStream ? [...reply.text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data ?? '') : [reply.text];
  for (const answer of texts.map(one => JSON.parse(one))) {
    expect(answer.jsonrpc).toBe('2.0');
    if (answer.error === undefined) expect(answer.result).toBeDefined();
    else expect(CODES).toContain(answer.error.code);
  }
}

test.each(['2025-11-25', '2025-03-26'])(
  'no request body, however malformed, changes the answer to a concurrent request in a session of revision %s',
  async revision => {
    const { url, sessions } = await startGateway({}, { maxBodyBytes: 65_536 });
    const [session, other] = [await initialize(url, revision), await initialize(url)];
    const headers = { 'Mcp-Session-Id': session };
    const stream = await open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': other });
    const property = fc.asyncProperty(body, async wild => {
      const [reply, same, elsewhere] = await Promise.all([
        post(url, wild, headers),
        call(url, session, 'ping', '"mine"'),
        call(url, other, 'ping', '"mine"'),
      ]);
      checkReply(reply);
      for (const { status, text: answer } of [same, elsewhere]) {
        expect({ status, answer }).toEqual({ status: 200, answer: '{"jsonrpc":"2.0","id":"mine","result":{}}' });
      }
    });
    await fc.assert(property, OPTIONS);
    expect(sessions).toHaveLength(2);
    const note = readUntil(stream, 'notifications/message');
    expect(sessions[1]?.send('{"jsonrpc":"2.0","method":"notifications/message"}')).toBe(true);
    await note;
  },
);

test('no request body, however malformed, changes the stream of another HTTP+SSE client', async () => {
  const { url, sse } = await startGateway({}, { maxBodyBytes: 65_536 });
  const connectTo = async (): Promise<{ messages: string; pong(id: number): Promise<void> }> => {
    const stream = await open(url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream' });
    let received = '';
    let heard = (): void => {};
    stream.setEncoding('utf8').on('data', chunk => {
      received += chunk;
      heard();
    });
    const until = (needle: string): Promise<void> =>
      new Promise(resolve => {
        heard = () => {
          if (!received.includes(needle)) return;
          received = received.slice(received.indexOf(needle) + needle.length);
          resolve();
        };
        heard();
      });
    const first = await readEndpoint();
    return { messages: url.replace('mcp', first), pong: id => until(`{"jsonrpc":"2.0","id":"p${id}"`) };

    async function readEndpoint(): Promise<string> {
      await until('data: ');
      while (!received.includes('\n\n')) await new Promise(resolve => setTimeout(resolve, 1));
      return received.slice(0, received.indexOf('\n'));
    }
  };
  const [wildOne, calmOne] = [await connectTo(), await connectTo()];
  let runs = 0;
  const property = fc.asyncProperty(body, async wild => {
    const id = ++runs;
    const reply = await post(wildOne.messages, wild);
    expect([202, 400, 413]).toContain(reply.status);
    for (const { messages, pong } of [wildOne, calmOne]) {
      const answered = pong(id);
      expect(await post(messages, `{"jsonrpc":"2.0","id":"p${id}","method":"ping"}`)).toMatchObject({ status: 202 });
      await answered;
    }
  });
  await fc.assert(property, OPTIONS);
  expect(sse.sessionCount).toBe(2);
});
