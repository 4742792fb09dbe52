/** The functions that CEL rules can call: those of standard CEL, of its strings extension, and those that Kubernetes adds. */
import { describe, expect, test } from 'vitest';
import type { CelJson } from '../../../compiler/check/cel/cel-value.ts';
import { toCelValue } from '../../../compiler/check/cel/cel-value.ts';
import { evaluate } from '../../../compiler/check/cel/evaluator.ts';
import { PLACED_RULES } from './placed-rules.ts';

const NOTHING: CelJson = new Map();

const HOLD: Readonly<Record<string, readonly string[]>> = {
  standard: [
    "size('añ😀') == 3",
    "duration('1h30m') == duration('90m') && duration('0.5s') < duration('1s')",
    "timestamp('2026-01-01T00:00:00Z') < timestamp('2027-01-01T00:00:00Z')",
    '1 == 1.0 && 2 > 1.5',
    "'a1'.matches('^[a-z][0-9]$') && !'ab'.matches('^[a-z][0-9]$')",
    '[1, 2, 2].exists_one(x, x == 1) && [1, 2].map(x, x * 2) == [2, 4]',
    "{'a': 1}.all(k, k == 'a') && has({'a': 1}.a) && !has({'a': 1}.b)",
    "type(1) == int && type('a') == string && dyn(1) == 1",
  ],
  strings: [
    "'ABC'.lowerAscii() == 'abc' && 'abc'.upperAscii() == 'ABC'",
    "'a,b'.split(',') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b'",
    "' a '.trim() == 'a' && 'aXa'.replace('a', 'b') == 'bXb' && 'abc'.substring(1, 2) == 'b'",
    "'abc'.indexOf('c') == 2 && 'abca'.lastIndexOf('a') == 3 && 'abc'.charAt(1) == 'b'",
    "'%s is %d'.format(['a', 1]) == 'a is 1'",
  ],
  urls: [
    "isURL('https://user:pass@example.com:80/path?query=val')",
    "isURL('/absolute-path') && isURL('mailto:a@example.com') && isURL('http://[::1]:80/')",
    "!isURL('https://a:b:c/') && !isURL('../relative-path') && !isURL('') && !isURL('http://a b/')",
    "!isURL('http://a/%zz') && !isURL('http://a\\nb/') && !isURL('http://[::1/') && !isURL('example.com')",
    "url('HTTPS://example.com').getScheme() == 'https' && url('/path').getScheme() == ''",
    "url('https://example.com:80/').getHost() == 'example.com:80' && url('/path').getHost() == ''",
    "url('https://[::1]:80/').getHost() == '[::1]:80' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://example.com:80/').getHostname() == 'example.com'",
    "url('https://example.com:80/').getPort() == '80' && url('https://example.com/').getPort() == ''",
    "url('https://example.com/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'",
    "url('https://example.com/a%20b').getEscapedPath() == '/a%20b' && url('https://a').getEscapedPath() == ''",
    "url('https://example.com/path?k1=a&k2=b&k1=c').getQuery() == {'k1': ['a', 'c'], 'k2': ['b']}",
    "url('https://example.com/?k=a+b%20c&d').getQuery() == {'k': ['a b c'], 'd': ['']}",
    "url('https://example.com/').getQuery() == {} && url('https://a/?k=é').getQuery() == {'k': ['é']}",
  ],
  quantities: [
    "isQuantity('1.3Gi') && isQuantity('-5m') && isQuantity('1e3') && isQuantity('.5') && isQuantity('2E')",
    "!isQuantity('') && !isQuantity('1.3 Gi') && !isQuantity('200K') && !isQuantity('Three') && !isQuantity('.')",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('999m').isLessThan(quantity('1'))",
    "quantity('1.5Ki').compareTo(quantity('1536')) == 0 && quantity('1k').compareTo(quantity('1Ki')) == -1",
    "quantity('50k').isInteger() && !quantity('0.5').isInteger() && quantity('50k').asInteger() == 50000",
    "quantity('-1').sign() == -1 && quantity('0').sign() == 0 && quantity('1n').sign() == 1",
    "quantity('50k').add(quantity('20k')) == quantity('70k') && quantity('50k').sub(20000) == quantity('30k')",
    "quantity('1.5').asApproximateFloat() == 1.5",
    "quantity('0.1n') == quantity('1n')",
  ],
  lists: [
    "[1, 2, 2].isSorted() && !['b', 'a'].isSorted() && [].isSorted() && [false, true].isSorted()",
    '[1, 2].sum() == 3 && [0.5, 1.5].sum() == 2.0',
    "[3, 1, 2].min() == 1 && ['a', 'c', 'b'].max() == 'c'",
    "['a', 'b', 'a'].indexOf('a') == 0 && ['a', 'b', 'a'].lastIndexOf('a') == 2 && [1].indexOf(2) == -1",
    '[1, 2.0].indexOf(2) == 1',
  ],
};

const ERRORS: readonly (readonly [string, string])[] = [
  ["url('../a') == url('/a')", 'the text is no URL'],
  ["quantity('many').sign() == 1", 'the text is no quantity'],
  ["quantity('0.5').asInteger() == 0", 'the quantity is no integer of 64 bits'],
  ['[].min() == 1', 'an empty list has no minimum and no maximum'],
  ['[9223372036854775807, 1].sum() > 0', 'integer overflow'],
  ["duration('soon') > duration('1s')", 'Failed to parse duration: invalid syntax'],
];

describe.each(Object.entries(HOLD))('CEL functions: %s', (_, rules) => {
  test.each(rules)('the CEL rule %s is met, and the negation of this rule is not met', rule => {
    expect(evaluate(rule, NOTHING)).toEqual({ is: 'held' });
    expect(evaluate(`!(${rule})`, NOTHING)).toEqual({ is: 'broken' });
  });
});

test.each(ERRORS)('the CEL rule %s ends in an error', (rule, text) => {
  expect(evaluate(rule, NOTHING)).toEqual({ is: 'error', text });
});

test('no CEL rule of the schemas is a transition rule', () => {
  expect(PLACED_RULES.map(({ rule }) => evaluate(rule, NOTHING).is)).not.toContain('transition');
});

describe('CEL values', () => {
  const held = (rule: string, schema: Parameters<typeof toCelValue>[0], value: unknown) =>
    expect(evaluate(rule, toCelValue(schema, value)), rule).toEqual({ is: 'held' });

  test('CEL values have the types of the schema', () => {
    held(
      'type(self.n) == int && self.n % 2 == 1',
      { type: 'object', properties: { n: { type: 'integer' } } },
      { n: 7 },
    );
    held('type(self.n) == int', { type: 'object', properties: { n: { type: 'integer' } } }, { n: 7n });
    held('type(self.n) == double', { type: 'object', properties: { n: { type: 'number' } } }, { n: 7 });
    held('type(self.n) == double', { type: 'object', properties: { n: { type: 'number' } } }, { n: 7n });
    held(
      'type(self.n) == string',
      { type: 'object', properties: { n: { type: 'string', format: 'date-time' } } },
      { n: '2026-01-01T00:00:00Z' },
    );
    held('self.port == 80 && self.name == "http"', {}, { port: 80, name: 'http' });
  });

  test('a CEL object has only the fields that the spec sets', () => {
    held('has(self.a) && !has(self.b) && size(self) == 1', {}, { a: false, b: undefined });
    held('self.a == null', { properties: { a: { type: 'string', nullable: true } } }, { a: null });
    held("size(self) == 1 && '__proto__' in self", { additionalProperties: {} }, JSON.parse('{"__proto__":1}'));
  });

  test('CEL escapes field names that are no identifiers, and keeps map keys', () => {
    const properties = Object.fromEntries(['a-b', 'a.b', 'a/b', 'a__b', 'namespace'].map(name => [name, {}]));
    const value = { 'a-b': 1, 'a.b': 2, 'a/b': 3, a__b: 4, namespace: 5 };
    const rule = 'self.a__dash__b == 1 && self.a__dot__b == 2 && self.a__slash__b == 3 && self.a__underscores__b == 4';
    held(`${rule} && self.__namespace__ == 5`, { type: 'object', properties }, value);
    held("self['a-b'] == 1 && self['namespace'] == 5", { additionalProperties: {} }, value);
  });
});
