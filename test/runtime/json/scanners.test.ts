/** Compares both scanners of JSON with `JSON.parse`: the one that validates strings, and the one that finds the ends of values in bytes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skipSpace } from '../../../runtime/mcp/json/characters.ts';
import { findStringEnd, findValueEnd, OpenValue } from '../../../runtime/mcp/json/scan-bytes.ts';
import { MAX_DEPTH, skipValue } from '../../../runtime/mcp/json/scan-text.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';

const SEED = 20261130;

/** Strings whose escapes, quotes and lengths are near the limits of the scanners' loops. */
const hardString = fc.string({ unit: fc.constantFrom('"', '\\', '{', ']', 'x', 'é', '😀', '\n'), maxLength: 200 });

const value = fc.oneof(
  fc.jsonValue(),
  hardString,
  fc.array(fc.dictionary(hardString, fc.oneof(hardString, fc.jsonValue())), { maxLength: 4 }),
);

/** JSON with white space between its tokens, and with some characters of its strings as escapes. */
const json = fc
  .tuple(value, fc.constantFrom(undefined, 1, '\t', '\r\n '), fc.boolean())
  .map(([any, space, escapes]) => {
    const text = JSON.stringify(any, undefined, typeof space === 'string' ? '\t' : space);
    const spaced = space === '\r\n ' ? text.replaceAll('\n', '\r\n') : text;
    return escapes ? spaced.replaceAll('é', '\\u00E9').replaceAll('x', '\\u0078') : spaced;
  });

const damaged = fc
  .tuple(json, fc.nat(), fc.nat(3), fc.string({ unit: fc.constantFrom(...'{}[]",:\\ u01-.e\n\u0001é'), maxLength: 3 }))
  .map(([text, at, cut, insert]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + insert + text.slice(start + cut);
  });

/** What may follow a value. A number or literal would continue with other characters. */
const follow = fc.constantFrom(',', '}', ']', ' ', '\n', '\t,"a":1}', ',"é"]');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The position after the value in a string; the error when the text is not JSON. */
function scanText(text: string, start: number): number | WireError {
  try {
    return skipValue(text, start, 0);
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
}

/** Whether the text consists of one value, and of white space around it. */
function isOneValue(text: string): boolean {
  const end = scanText(text, skipSpace(text, 0));
  return typeof end === 'number' && skipSpace(text, end) === text.length;
}

test('the scanner of strings and the scanner of bytes find the end of any JSON value', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 5 }), json, follow, (before, text, after) => {
      const whole = before + text + after;
      expect(scanText(whole, before.length)).toBe(before.length + text.length);
      const start = Buffer.byteLength(before);
      expect(findValueEnd(Buffer.from(whole), start)).toBe(start + Buffer.byteLength(text));
    }),
    { seed: SEED, numRuns: runs(8_000) },
  );
});

test('in strings and in bytes, exactly the white space that JSON allows between values is skipped', () => {
  const space = fc.string({ unit: fc.constantFrom(...' \t\r\n'), maxLength: 6 });
  const after = fc.oneof(
    fc.constantFrom('', '\v', '\f', '\u00a0', '\u2028', '\ufeff', '{'),
    fc.string({ maxLength: 1 }),
  );
  fc.assert(
    fc.property(space, after, (before, next) => {
      fc.pre(!/^[ \t\r\n]/.test(next));
      expect(skipSpace(before + next, 0)).toBe(before.length);
      expect(skipSpace(Buffer.from(before + next), 0)).toBe(before.length);
    }),
    { seed: SEED, numRuns: runs(1_000) },
  );
});

test('the scanner of strings accepts exactly the texts that JSON.parse accepts', () => {
  const anything = fc.oneof(json, damaged, fc.string({ unit: anyCharacter, maxLength: 12 }));
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(anything, text => {
      const isGood = isJson(text);
      if (isGood) accepted++;
      else refused++;
      expect(isOneValue(text)).toBe(isGood);
    }),
    { seed: SEED, numRuns: runs(16_000) },
  );
  expect(accepted).toBeGreaterThan(runs(16_000) / 8);
  expect(refused).toBeGreaterThan(runs(16_000) / 8);
});

test('the scanner of bytes finds no end in an incomplete string, array or object', () => {
  const closed = json.filter(text => /^[[{"]/.test(text));
  fc.assert(
    fc.property(closed, fc.nat(), (text, cut) => {
      const bytes = Buffer.from(text);
      expect(findValueEnd(bytes.subarray(0, cut % bytes.length), 0)).toBe(-1);
    }),
    { seed: SEED, numRuns: runs(8_000) },
  );
});

test('the scanner of bytes finds the same end in chunks of any size as in the whole text, even if the text is not valid JSON', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.oneof(json, damaged), follow, sizes, (text, after, lengths) => {
      const bytes = Buffer.from(text + after);
      const open = new OpenValue();
      if (!open.begin(bytes[0] as number)) return;
      let end = 1;
      for (let from = 1, n = 0; open.isOpen && from < bytes.length; n++) {
        const chunk = bytes.subarray(from, from + (lengths[n % lengths.length] as number));
        end = from + open.skip(chunk, 0);
        from += chunk.length;
      }
      expect(open.isOpen ? -1 : end).toBe(findValueEnd(bytes, 0));
    }),
    { seed: SEED, numRuns: runs(8_000) },
  );
});

test('the scanner of bytes ends a string where the scanner of strings ends it', () => {
  fc.assert(
    fc.property(hardString, hardString, (text, after) => {
      const quoted = JSON.stringify(text);
      expect(skipValue(quoted + after, 0, 0)).toBe(quoted.length);
      expect(findStringEnd(Buffer.from(quoted + after), 1)).toBe(Buffer.byteLength(quoted));
    }),
    { seed: SEED, numRuns: runs(4_000) },
  );
});

test.each([
  ['brackets that do not match', '[1}'],
  ['an object without a colon', '{"a"1}'],
  ['a trailing comma', '[1,]'],
  ['an unknown literal', '[nil]'],
  ['a number with a leading zero', '[01]'],
  ['a line feed in a string', '["\n"]'],
  ['an unknown escape', '["\\x"]'],
  ['more levels than a message may have', '['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1)],
])('the scanner of strings refuses %s, and the scanner of bytes finds the end of the value all the same', (_, text) => {
  expect(scanText(text, 0)).toBeInstanceOf(WireError);
  expect(findValueEnd(Buffer.from(text), 0)).toBe(text.length);
});
