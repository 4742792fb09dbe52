import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_ID_LENGTH } from '../../../runtime/mcp/client-limits.ts';
import { formatEventId, formatStreamName, isReading, LAST, readEventId } from '../../../runtime/mcp/event-id.ts';
import { anyCharacter } from '../../support/any-character.ts';

const SEED = { seed: 20261123, numRuns: 2_000 };
const numbers = fc.integer({ min: 1, max: 1_000_000 });
const positions = fc.oneof(fc.nat(1_000_000), fc.constant(LAST));
const requests = fc.oneof(
  fc.constant(undefined),
  fc.constant(''),
  fc.maxSafeInteger().map(String),
  fc.bigInt().map(String),
  fc.string({ unit: anyCharacter, maxLength: 40 }).map(text => JSON.stringify(text)),
  fc.constantFrom('x', 'é', '鍵', '\\', '😀').map(text => {
    const inside = MAX_ID_LENGTH - 2;
    return `"${(text === '\\' ? '\\\\' : text).repeat(inside).slice(0, inside)}"`;
  }),
);

test('an event id encodes stream, request id and position in characters that an HTTP header may have', () => {
  fc.assert(
    fc.property(numbers, requests, fc.boolean(), positions, (stream, request, onlyReads, position) => {
      const name = formatStreamName(stream, request, onlyReads);
      expect(isReading(name)).toBe(onlyReads);
      const id = formatEventId(name, position);
      expect(id).toMatch(/^[!-~]{3,2100}$/);
      expect(readEventId(id)).toEqual({ stream, request, onlyReads, position });
    }),
    SEED,
  );
});

test('from any event id that a client sends, the gateway reads a valid request id or none', () => {
  const wild = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.stringMatching(/^\d{1,4}r?\.~?[\w-]{0,40}-(\d{1,3}|end)$/),
    fc.json().map(text => `1.~${Buffer.from(text).toString('base64url')}-1`),
  );
  fc.assert(
    fc.property(wild, text => {
      const request = readEventId(text)?.request;
      if (request === undefined || request === '') return;
      expect(['string', 'number']).toContain(typeof JSON.parse(request));
    }),
    SEED,
  );
});
