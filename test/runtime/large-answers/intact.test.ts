/**
 * Large responses arrive unchanged although their memory is released meanwhile, for any framing of the backend and any speed of the client:
 * chunks that wait for a full connection share memory with earlier ones.
 */
import { createHash } from 'node:crypto';
import { request, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const TEXT_BYTES = 12 * 1024 * 1024;

/** A small linear congruential generator: the same numbers for each seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let n = seed; ; ) {
    n = (Math.imul(n, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield n;
  }
}

/** A text of printable characters, without quotes, backslashes or long repetitions. */
function textOf(seed: number): Buffer {
  const text = Buffer.alloc(TEXT_BYTES);
  const random = numbers(seed);
  for (let at = 0; at < TEXT_BYTES; at += 8) text.write((random.next().value | 0x10000000).toString(16), at, 'latin1');
  return text;
}

type Framing = 'length' | 'chunked' | 'events';

/** Sends the response in pieces of many sizes, so that HTTP chunks and socket reads never align. */
async function answer(response: ServerResponse, framing: Framing, id: unknown, seed: number): Promise<void> {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`;
  const tail = '"}]}}';
  if (framing === 'events') response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: ');
  else {
    const length = head.length + TEXT_BYTES + tail.length;
    const more = framing === 'length' ? { 'content-length': length } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...more });
  }
  response.write(head);
  const text = textOf(seed);
  const sizes = numbers(seed + 1);
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + ((sizes.next().value >> 8) % 200_000);
    if (!response.write(text.subarray(at, end))) await new Promise(resolve => response.once('drain', resolve));
    at = end;
  }
  response.end(framing === 'events' ? `${tail}\n\n` : tail);
}

describe('a large answer', () => {
  let backend: RawServer;
  let gateway: TestGateway;
  let session: string;

  beforeAll(async () => {
    backend = await startRawServer(
      withHandshake(async ({ message }, response) => {
        const { method, id, params } = message;
        if (method === 'tools/call') await answer(response, params.arguments.framing, id, params.arguments.seed);
        else {
          const tools = method === 'tools/list' ? '[{"name":"large","inputSchema":{"type":"object"}}]' : '[]';
          const lists = `{"tools":${tools},"prompts":[],"resources":[],"resourceTemplates":[]}`;
          sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${lists}}`);
        }
      }),
    );
    gateway = await startGateway({ backends: [backendPlan('b', `${backend.origin}/mcp`)] });
    const client = new RawClient(gateway.url);
    await client.open();
    session = client.sessionId as string;
  });
  afterAll(async () => {
    await gateway.stop();
    await backend.close();
  });

  const STATELESS = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'b_large',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  /** Reads at varying speed: sometimes it pauses until all buffers before it are full. */
  function call(isStateless: boolean, accept: string, args: object, seed: number): Promise<string> {
    const params = { name: 'b_large', arguments: args, ...(isStateless ? { _meta } : {}) };
    const own = isStateless ? STATELESS : { 'mcp-session-id': session };
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', accept, ...own };
      const req = request(gateway.url, { method: 'POST', headers, agent: false }, async res => {
        const chunks: Buffer[] = [];
        const pace = numbers(seed);
        try {
          for await (const chunk of res) {
            chunks.push(chunk);
            if (chunks.length === 1) await new Promise(done => setTimeout(done, 100));
            else if ((pace.next().value >> 8) % 16 === 0) await new Promise(done => setTimeout(done, 2));
          }
          resolve(Buffer.concat(chunks).toString('latin1'));
        } catch (error) {
          reject(error);
        }
      });
      req.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: seed, method: 'tools/call', params }));
    });
  }

  const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

  describe.each<Framing>(['length', 'chunked', 'events'])('of a backend whose answers are framed by %s', framing => {
    test.each([
      ['in a session, as a document', false, 'application/json, text/event-stream'],
      ['in a session, as an event', false, 'text/event-stream'],
      ['without a session, as a document', true, 'application/json, text/event-stream'],
      ['without a session, as an event', true, 'text/event-stream'],
    ])('a client gets a large answer with unchanged bytes %s', async (_, isStateless, accept) => {
      const seed = 7 + accept.length + (isStateless ? 1 : 0);
      const body = await call(isStateless, accept, { framing, seed }, seed);
      const data = body.split('\n').findLast(line => line.startsWith('data: {'));
      const { id, result } = JSON.parse(data?.slice('data: '.length) ?? body);
      expect([id, result.resultType]).toEqual([seed, isStateless ? 'complete' : undefined]);
      expect(digest(Buffer.from(result.content[0].text))).toBe(digest(textOf(seed)));
    });
  });
});
