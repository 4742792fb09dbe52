/** RFC 8785: a bundle's digest covers these bytes, so they are checked against the RFC's own examples. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeDigest, formatCanonicalJson } from '#schemas';
import { anyCharacter } from '../../support/any-character.ts';

/** The number with these IEEE 754 bits in hexadecimal. */
function fromBits(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

/** @see https://www.rfc-editor.org/rfc/rfc8785#appendix-B */
describe('numbers of RFC 8785, appendix B', () => {
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('canonical JSON of the IEEE 754 bits %s is %s (RFC 8785, appendix B)', (bits, text) => {
    expect(formatCanonicalJson(fromBits(bits))).toBe(text);
  });

  test.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])(
    'canonical JSON refuses the IEEE 754 bits %s',
    bits => {
      expect(() => formatCanonicalJson(fromBits(bits))).toThrow(TypeError);
    },
  );
});

describe('canonical JSON of whole texts', () => {
  /** @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2 */
  test('canonical JSON of the example in RFC 8785, section 3.2.2, has the bytes of section 3.2.4', () => {
    const value: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    const hex =
      '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a' +
      '5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d' +
      '2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d';
    expect(Buffer.from(formatCanonicalJson(value)).toString('hex')).toBe(hex);
  });

  /**
   * Sorted by UTF-16 code units: the emoji's first half comes before U+FB33.
   *
   * @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3
   */
  test('canonical JSON sorts the keys of the example in RFC 8785, section 3.2.3, as the RFC does', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const order = [...formatCanonicalJson(value).matchAll(/:"([^"]+)"/g)].map(([, name]) => name);
    expect(order).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  test.each<[name: string, value: unknown, text: string]>([
    ['short escapes', '\b\t\n\f\r"\\', String.raw`"\b\t\n\f\r\"\\"`],
    ['other control characters', '\u0000\u001f', String.raw`"\u0000\u001f"`],
    ['no other characters are escaped', '/\u007f\u0080\u2028\u2029é€😀', '"/\u007f\u0080\u2028\u2029é€😀"'],
    ['text is not normalized', ['\u00c5', 'A\u030a'], '["\u00c5","A\u030a"]'],
    ['empty objects, lists, texts and keys', [{}, [], '', { '': null }], '[{},[],"",{"":null}]'],
    ['lists keep their order', [3, 1, 2, 'b', 'a'], '[3,1,2,"b","a"]'],
    ['objects inside of lists are sorted', [{ b: 1, a: { d: 1, c: 2 } }], '[{"a":{"c":2,"d":1},"b":1}]'],
    ['numbers as keys are sorted as text', { 10: 'a', 9: 'b', 1: 'c' }, '{"1":"c","10":"a","9":"b"}'],
    ['upper case is sorted first', { a: 1, B: 2, A: 3, b: 4 }, '{"A":3,"B":2,"a":1,"b":4}'],
    ['a prefix is sorted first', { 'a.b': 1, 'a-b': 2, ab: 3, a: 4 }, '{"a":4,"a-b":2,"a.b":1,"ab":3}'],
    ['a member called __proto__', JSON.parse('{"b":1,"__proto__":2}'), '{"__proto__":2,"b":1}'],
    ['minus zero is 0', -0, '0'],
  ])('canonical JSON follows RFC 8785: %s', (_, value, text) => {
    expect(formatCanonicalJson(value)).toBe(text);
  });
});

describe('values that canonical JSON refuses', () => {
  const refused: readonly (readonly [name: string, value: unknown])[] = [
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a high surrogate alone', 'a\ud83d'],
    ['a low surrogate alone', '\ude00a'],
    ['surrogates in the wrong order', '\ude00\ud83d'],
  ];

  test.each(refused)(
    'canonical JSON refuses %s with a TypeError, alone and inside of lists and objects',
    (_, value) => {
      expect(() => formatCanonicalJson(value)).toThrow(TypeError);
      expect(() => formatCanonicalJson([1, value])).toThrow(TypeError);
      expect(() => formatCanonicalJson({ a: { b: value } })).toThrow(TypeError);
    },
  );

  test('canonical JSON refuses a key with a lone surrogate with a TypeError', () => {
    expect(() => formatCanonicalJson({ '\ud800': 1 })).toThrow(TypeError);
  });

  test('canonical JSON refuses a hole in a list with a TypeError', () => {
    // biome-ignore lint/suspicious/noSparseArray: the hole is the point
    expect(() => formatCanonicalJson([1, , 2])).toThrow(TypeError);
  });
});

describe('canonical JSON of any value', () => {
  const seed = 8785;
  const text = fc.string({ unit: anyCharacter }).filter(each => each.isWellFormed());
  const { value: anyJson } = fc.letrec(tie => ({
    value: fc.oneof({ maxDepth: 5 }, tie('scalar'), tie('list'), tie('object')),
    scalar: fc.oneof(fc.constant(null), fc.boolean(), text, fc.double({ noNaN: true, noDefaultInfinity: true })),
    list: fc.array(tie('value'), { maxLength: 6 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 6 }),
  }));

  test('any JSON value survives canonical JSON unchanged, apart from the sign of zero', () => {
    fc.assert(
      fc.property(anyJson, value => {
        expect(JSON.parse(formatCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed },
    );
  });

  test('canonical JSON does not depend on the order of members', () => {
    fc.assert(
      fc.property(anyJson, value => {
        expect(formatCanonicalJson(membersReversed(value))).toBe(formatCanonicalJson(value));
      }),
      { seed },
    );
  });

  test('canonical JSON stays the same when it is made canonical again', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const once = formatCanonicalJson(value);
        expect(formatCanonicalJson(JSON.parse(once))).toBe(once);
      }),
      { seed },
    );
  });
});

test('the digest of a text is the digest of the UTF-8 bytes of the text', () => {
  // printf '{"a":"€"}' | sha256sum
  const digest = 'sha256:db8566e7dc218a6795f689fe26667214b263a2443d9966d00742cbd38019c33e';
  expect(computeDigest(formatCanonicalJson({ a: '€' }))).toBe(digest);
  expect(computeDigest(Buffer.from('{"a":"€"}'))).toBe(digest);
});

function membersReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(membersReversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, membersReversed(member)]));
}
