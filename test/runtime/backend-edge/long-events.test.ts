/** Large responses in event streams are forwarded while they arrive; everything else is buffered as before. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { beginsResponseTo } from '../../../runtime/gateway/backends/messages/message-kind.ts';
import { EventStreamParser, EventTooLargeError } from '../../../runtime/mcp/event-stream-parser.ts';
import { openEvents } from '../../support/raw-server.ts';
import { Edge, RecordingSink } from './harness.ts';
import { connect } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const LONG = 'x'.repeat(400_000);

/** What a reader that accepts every long message gets: each event as one text. */
function read(text: string, sizes: readonly number[], maxEventBytes = 10_000_000): string[] {
  const events: string[] = [];
  const bytes = Buffer.from(text);
  const parser = new EventStreamParser(({ data }) => events.push(`whole ${data}`), {
    maxEventBytes,
    onLongMessage: () => {
      const got: Buffer[] = [];
      return {
        piece: piece => void got.push(Buffer.from(piece)),
        end: () => void events.push(`pieces ${Buffer.concat(got)}`),
      };
    },
  });
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? bytes.length;
    parser.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  parser.end();
  return events;
}

describe('the parser for long events', () => {
  test.each([
    ['a long line', `data: ${LONG}\n\ndata: b\n\n`, [`pieces ${LONG}`, 'whole b']],
    ['line ends with CRLF', `data: ${LONG}\r\n\r\ndata: b\r\n\r\n`, [`pieces ${LONG}`, 'whole b']],
    ['a long line and a short line', `data: ${LONG}\ndata: end\n\n`, [`pieces ${LONG}\nend`]],
    ['a long second line', `data: a\ndata: ${LONG}\n\n`, [`whole a\n${LONG}`]],
    ['a long event of another type arrives whole', `event: other\ndata: ${LONG}\n\n`, [`whole ${LONG}`]],
    ['the default type', `event: message\nid: 1\ndata: ${LONG}\n\n`, [`pieces ${LONG}`]],
    ['a long comment', `: ${LONG}\n\ndata: b\n\n`, ['whole b']],
    ['two long events', `data: ${LONG}\n\ndata:${LONG}\n\n`, [`pieces ${LONG}`, `pieces ${LONG}`]],
    ['an event that never ends', `data: ${LONG}`, []],
  ])('the event stream parser delivers a long event before it has received all of it: %s', (_, text, expected) => {
    expect(read(text, [10_007])).toEqual(expected);
  });

  test('the event stream parser delivers the same long events from chunks of any size', () => {
    const text = `id: 7\r\ndata: ${LONG}\r\ndata: z\r\n\r\n: c\n\ndata: b\n\ndata: ${LONG}\n\n`;
    const expected = [`pieces ${LONG}\nz`, 'whole b', `pieces ${LONG}`];
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 20 }), sizes => {
        // Long data depends on the chunks: a chunk that contains a whole event need not be split.
        expect(
          read(
            text,
            sizes.map(size => size + 997),
          ),
        ).toEqual(expected);
      }),
      { numRuns: 40, seed: 7 },
    );
  });

  test('the size limit of the event stream parser applies to long events as well', () => {
    expect(() => read(`data: ${LONG}${LONG}\n\n`, [10_000], 500_000)).toThrow(EventTooLargeError);
  });
});

test.each([
  ['{"jsonrpc":"2.0","id":1,"result":{"a', true],
  ['{"result":{"a', true],
  ['{"id":1,"error":{"message":"', true],
  ['{"jsonrpc":"2.0","id":2,"result":{"a', false],
  ['{"jsonrpc":"2.0","method":"notifications/message","params":{"', false],
  ['{"params":{"a', false],
  ['{"id":1,"method":"sampling/createMessage","params":{"', false],
  ['["a', false],
  ['', false],
])('the text %s may begin the response to the request with id 1: %s', (text, expected) => {
  expect(beginsResponseTo(Buffer.from(text), '1')).toBe(expected);
});

describe('a call', () => {
  const big = JSON.stringify({ content: [{ type: 'text', text: LONG }] });
  const log = JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', data: LONG },
  });

  async function answerOf(events: (id: string) => readonly string[]): Promise<RecordingSink> {
    const { session } = await connect(edge, async ({ message }, response) => {
      openEvents(response);
      for (const event of events(JSON.stringify(message.id))) {
        for (let at = 0; at < event.length; at += 50_000) {
          response.write(event.slice(at, at + 50_000));
          await new Promise(resolve => setTimeout(resolve, 2));
        }
      }
      response.end();
    });
    const sink = new RecordingSink();
    session.request({ text: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}', id: '1', method: 'tools/call' }, sink);
    await sink.done;
    return sink;
  }

  test('a call gets all of a large response in an event, and the notifications before it', async () => {
    const sink = await answerOf(id => [`data: ${log}\n\n`, `data: {"jsonrpc":"2.0","id":${id},"result":${big}}\n\n`]);
    expect(sink.messages).toEqual([log]);
    expect(JSON.parse(sink.text)).toEqual({ jsonrpc: '2.0', id: 1, result: JSON.parse(big) });
  });

  test('a call fails when its backend ends the event stream in the middle of the response', async () => {
    const sink = await answerOf(id => [`data: {"jsonrpc":"2.0","id":${id},"result":${big.slice(0, -5)}`]);
    expect(sink.error?.message).toBe('backend "peer": closed the stream within the answer');
  });
});
