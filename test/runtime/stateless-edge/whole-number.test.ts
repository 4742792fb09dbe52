import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInteger } from '../../../runtime/mcp/integer.ts';

const MAX = 2n ** 53n - 1n;

test.each<[string, string | undefined]>([
  ['0', '0'],
  ['-0', '0'],
  ['-0.0e5', '0'],
  ['0e999999999999', '0'],
  ['7', '7'],
  ['-7', '-7'],
  ['42.0', '42'],
  ['1E2', '100'],
  ['1e+2', '100'],
  ['1200e-2', '12'],
  ['0.5e1', '5'],
  ['007', '7'],
  ['9007199254740991', '9007199254740991'],
  ['-9007199254740991', '-9007199254740991'],
  ['9007199254740991.000', '9007199254740991'],
  ['9.007199254740991e15', '9007199254740991'],
  ['9007199254740992', undefined],
  ['9007199254740993', undefined],
  ['-9007199254740992', undefined],
  ['12345678901234567890', undefined],
  ['1e21', undefined],
  ['1e400', undefined],
  ['1e99999999999999999999999999', undefined],
  ['1e-99999999999999999999999999', undefined],
  ['1.5', undefined],
  // Doubles round them to integers.
  ['9007199254740991.4', undefined],
  ['0.99999999999999999999', undefined],
  ['1e-400', undefined],
  ['', undefined],
  ['x', undefined],
  ['0x2a', undefined],
  [' 1', undefined],
  ['1.', undefined],
  ['.5', undefined],
  ['+1', undefined],
  ['NaN', undefined],
])('formatInteger writes %s as %s', (text, plain) => expect(formatInteger(text)).toBe(plain));

test('formatInteger agrees with exact arithmetic for every number that JSON can write', () => {
  const digits = fc.stringMatching(/^\d{1,22}$/);
  const number = fc.record({
    sign: fc.constantFrom('', '-'),
    whole: digits.map(text => text.replace(/^0+(?=\d)/, '')),
    fraction: fc.option(fc.oneof(digits, fc.stringMatching(/^0{1,4}$/)), { nil: undefined }),
    exponent: fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(number, ({ sign, whole, fraction, exponent }) => {
      const text = `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : `e${exponent}`}`;
      expect(() => JSON.parse(text)).not.toThrow();
      // As a fraction of two integers.
      const scale = (exponent ?? 0) - (fraction ?? '').length;
      const above = BigInt(sign + whole + (fraction ?? '')) * 10n ** BigInt(Math.max(scale, 0));
      const below = 10n ** BigInt(Math.max(-scale, 0));
      const value = above % below === 0n ? above / below : undefined;
      const isFit = value !== undefined && value >= -MAX && value <= MAX;
      expect(formatInteger(text)).toBe(isFit ? value.toString() : undefined);
    }),
    { seed: 20261123, numRuns: 20_000 },
  );
});

test('formatInteger is fast also for numbers with millions of digits', () => {
  const zeros = '0'.repeat(4_000_000);
  expect(formatInteger(`1${zeros}e-4000000`)).toBe('1');
  expect(formatInteger(`0.${zeros}1e4000001`)).toBe('1');
  expect(formatInteger(`${`1${'0'.repeat(99)}`.repeat(40_000)}1`)).toBeUndefined();
});
