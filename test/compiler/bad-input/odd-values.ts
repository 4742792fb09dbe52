/** Unexpected values: odd texts, names of `Object.prototype`, deep nesting and free-form junk. */
import fc from 'fast-check';
import { anyCharacter } from '../../support/any-character.ts';

const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON'];

const ODD_TEXTS = [
  ...['', ' ', '~', 'null', 'true', '0x1F', '1e999', '-0', '.nan', '<<', '*', '&a', '!!set', '%', '@', '`', '\u0000'],
  ...['\u0007\u001b[31m', '\u0085', '\u2028', '\u202e', '\ufeff', '\ud800', '\udc00x', '😀', '👩‍👩‍👧', 'e\u0301', 'İ'],
  ...[
    '{{',
    '{{ .a',
    '{{end}}',
    '{{if .a}}',
    '$(x)',
    '../../etc/passwd',
    'https://',
    'http://[::1',
    '1h1',
    '-5s',
    '99999999h',
  ],
  ...['/', '~1', '~0', '#/x', 'a.b', 'a\nb', 'a\r\nb', '\t', "'", '"', '\\', '---', '...', '- ', ': ', ' #'],
];

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_TEXTS, ...PROTOTYPE_NAMES) },
  { weight: 3, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .record({
        part: fc.constantFrom('x', '1s', '😀', '{{', '\ud800', '-a', '9'),
        size: fc.integer({ min: 1, max: 9000 }),
      })
      .map(({ part, size }) => part.repeat(size)),
  },
);

const oddNumber = fc.constantFrom(0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 65_536);

/** `[[[…]]]` or `{"a": {"a": …}}`. */
const deep: fc.Arbitrary<unknown> = fc
  .record({ depth: fc.integer({ min: 1, max: 130 }), key: fc.option(fc.constantFrom('a', ...PROTOTYPE_NAMES)) })
  .map(({ depth, key }) => {
    let value: unknown = 'end';
    for (let level = 0; level < depth; level += 1) value = key === null ? [value] : ownMember({}, key, value);
    return value;
  });

export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 2, arbitrary: oddNumber },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], [{}], { '': '' }) },
  { weight: 1, arbitrary: deep },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(oddText, fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 })
      .map(entries => entries.reduce<object>((into, [key, value]) => ownMember(into, key, value), {})),
  },
);

/** One odd value at one place; the container and entry numbers are taken modulo the counts. */
export interface Oddity {
  readonly container: number;
  readonly entry: number;
  readonly how: 'add' | 'replace' | 'rename' | 'remove' | 'copy';
  readonly key: string;
  readonly value: unknown;
}

export const oddity: fc.Arbitrary<Oddity> = fc.record({
  container: fc.nat(),
  entry: fc.nat(),
  how: fc.constantFrom('add', 'replace', 'replace', 'replace', 'rename', 'remove', 'copy'),
  key: oddText,
  value: oddValue,
});

/** Inserts the odd values into `value`, which the caller must own. */
export function makeOdd(value: object, oddities: readonly Oddity[]): void {
  for (const { container, entry, how, key, value: odd } of oddities) {
    const all = containersOf(value);
    const target = all[container % all.length] ?? value;
    const keys = Object.keys(target);
    const at = keys[entry % Math.max(1, keys.length)];
    const before = at === undefined ? undefined : (target as Record<string, unknown>)[at];
    if (Array.isArray(target)) {
      if (how === 'remove') target.splice(Number(at ?? 0), 1);
      else if (how === 'replace' && at !== undefined) target[Number(at)] = structuredClone(odd);
      else target.push(structuredClone(how === 'copy' && at !== undefined ? before : odd));
      continue;
    }
    if (at !== undefined && (how === 'rename' || how === 'remove')) delete (target as Record<string, unknown>)[at];
    if (how === 'add') ownMember(target, key, structuredClone(odd));
    if (how === 'rename' || how === 'copy') ownMember(target, key, structuredClone(before ?? null));
    if (how === 'replace' && at !== undefined) ownMember(target, at, structuredClone(odd));
  }
}

function containersOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersOf)];
}

/** Defines an own member of an object, even one with the name `__proto__`. */
function ownMember(into: object, key: string, value: unknown): object {
  return Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
}
