import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventStreamParser, EventTooLargeError } from '../../../runtime/mcp/event-stream-parser.ts';

interface Seen {
  events: { event: string; data: string; id: string | undefined }[];
  retries: number[];
  lastEventId: string;
}

function read(chunks: readonly Uint8Array[], maxEventBytes = 1_000_000): Seen {
  const seen: Seen = { events: [], retries: [], lastEventId: '' };
  const parser = new EventStreamParser(({ event, data, id }) => seen.events.push({ event, data, id }), {
    maxEventBytes,
    onRetry: ms => seen.retries.push(ms),
  });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  seen.lastEventId = parser.lastEventId;
  return seen;
}

function dataOf(text: string): string[] {
  return read([Buffer.from(text)]).events.map(event => event.data);
}

describe('the rules of the HTML standard', () => {
  const rows: readonly [name: string, stream: string, data: string[]][] = [
    ['one line', 'data: a\n\n', ['a']],
    ['several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', ['YHOO\n+2\n10']],
    ['only the first space after the colon is removed', 'data:  a\n\ndata:b\n\n', [' a', 'b']],
    ['empty data', 'data\n\ndata\ndata\n\ndata:', ['', '\n']],
    ['comments', ': comment\ndata: a\n:\n\n', ['a']],
    ['CR', 'data: a\rdata: b\r\rdata: c\r\r', ['a\nb', 'c']],
    ['CRLF', 'data: a\r\ndata: b\r\n\r\n', ['a\nb']],
    ['mixed ends', 'data: a\r\ndata: b\n\rdata: c\n\n', ['a\nb', 'c']],
    ['byte order mark', '\ufeffdata: a\n\n', ['a']],
    ['a second byte order mark belongs to the field name', '\ufeff\ufeffdata: a\n\ndata: b\n\n', ['b']],
    ['unknown fields', 'date: x\ndatas: y\nda: z\ndata: a\n\n', ['a']],
    ['colons in values', 'data: a:b: c\n\n', ['a:b: c']],
    ['an unfinished event', 'data: a\n\ndata: b\n', ['a']],
    ['an event without data is no event', 'event: x\nid: 1\n\ndata: a\n\n', ['a']],
  ];
  test.each(rows)('the event stream parser follows the HTML standard: %s', (_name, stream, data) =>
    expect(dataOf(stream)).toEqual(data),
  );

  test('in an event stream, the event field applies to its own event only, and an id applies until the next id field', () => {
    const stream = 'event: add\nid: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: x\0y\ndata: d\n\n';
    expect(read([Buffer.from(stream)]).events).toEqual([
      { event: 'add', data: 'a', id: '1' },
      { event: 'message', data: 'b', id: '1' },
      { event: 'message', data: 'c', id: undefined },
      { event: 'message', data: 'd', id: undefined },
    ]);
  });

  test('the event stream parser also takes the last event id from an event without data', () => {
    expect(read([Buffer.from('id: 7\n\n')])).toEqual({ events: [], retries: [], lastEventId: '7' });
    expect(read([Buffer.from('id: 7\n')]).lastEventId).toBe('');
  });

  test('the event stream parser ignores a retry field that contains anything but digits', () => {
    expect(read([Buffer.from('retry: 250\nretry: 1s\nretry: -1\nretry:\n')]).retries).toEqual([250]);
  });
});

describe('chunks of any size', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      '',
      ':c',
      'data',
      'data:',
      'data: x',
      'data:ä€😀',
      'event: e',
      'id: 1',
      'id',
      'retry: 5',
      'other: y',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => `data: ${text.replace(/[\r\n]/g, '')}`),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 40 })
    .chain(lines => fc.constantFrom('', '\ufeff').map(mark => mark + lines.flat().join('')));

  test('the event stream parser finds the same events in chunks of any size', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 30 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const ends = [...cuts.filter(cut => cut < bytes.length), bytes.length].sort((a, b) => a - b);
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(read(chunks)).toEqual(read([bytes]));
      }),
      { seed: 20251125, numRuns: 2_000 },
    );
  });

  test('the event stream parser finds the same events byte by byte', () => {
    fc.assert(
      fc.property(stream, text => {
        const bytes = Buffer.from(text);
        expect(read(Array.from(bytes, byte => Uint8Array.of(byte)))).toEqual(read([bytes]));
      }),
      { seed: 20251125, numRuns: 500 },
    );
  });

  test('for chunks of any size, the event stream parser stops at its limit in the same event streams', () => {
    const outcome = (chunks: readonly Uint8Array[]) => {
      try {
        return read(chunks, 30);
      } catch (error) {
        return (error as Error).name;
      }
    };
    fc.assert(
      fc.property(stream, text => {
        const bytes = Buffer.from(text);
        expect(outcome(Array.from(bytes, byte => Uint8Array.of(byte)))).toEqual(outcome([bytes]));
      }),
      { seed: 20251125, numRuns: 500 },
    );
  });
});

describe('the size limit', () => {
  const rows: readonly [name: string, stream: string][] = [
    ['a line that does not end', `data: ${'x'.repeat(200)}`],
    ['a line', `data: ${'x'.repeat(200)}\n`],
    ['many lines', 'data: xxxxxxxx\n'.repeat(20)],
    ['a comment', `:${'x'.repeat(200)}`],
  ];
  test.each(rows)('the event stream parser stops at an event above its limit: %s', (_name, stream) => {
    expect(() => read([Buffer.from(stream)], 100)).toThrow(EventTooLargeError);
  });

  test('the size limit of the event stream parser applies to each event, and not to all events together', () => {
    expect(read([Buffer.from('data: xxxxxxxx\n\n'.repeat(100))], 100).events).toHaveLength(100);
  });

  test('the event stream parser delivers the bytes of the data without decoding them as UTF-8', () => {
    const chunk = Buffer.concat([Buffer.from('data: '), Buffer.of(0xff, 0xfe), Buffer.from('\n\n')]);
    const seen: Buffer[] = [];
    new EventStreamParser(event => seen.push(event.bytes), { maxEventBytes: 100 }).push(chunk);
    expect(seen).toEqual([Buffer.of(0xff, 0xfe)]);
  });
});
