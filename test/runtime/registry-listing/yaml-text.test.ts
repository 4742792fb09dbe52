import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatYaml, type YamlValue } from '../../../runtime/registry/listing/yaml-text.ts';

test('formatYaml writes data in block style', () => {
  expect(formatYaml({ a: 1, list: [true, { b: null, c: [] }, ['x']], 'odd: key': {}, text: 'on' })).toBe(`"a": 1
"list":
  - true
  -
    "b": null
    "c": []
  -
    - "x"
"odd: key": {}
"text": "on"
`);
});

test.each<[string, YamlValue]>([
  ['a string', 'x'],
  ['an empty list', []],
  ['null', null],
])('formatYaml writes %s as a document', (_name, value) => {
  expect(parse(formatYaml(value))).toEqual(value);
});

describe.each(['1.1', '1.2'] as const)('a reader of YAML %s', version => {
  test('strings that look like other types are still strings when a YAML reader reads the text of formatYaml', () => {
    const texts = ['', ' ', 'yes', 'NO', '1e3', '0o7', '2026-01-01', '~', '- a', '#', '"', '\\', "'", '<<', '*a', '&a'];
    const odd = ['a\nb', '\u2028', '\u0085', '\ufeff', '\u007f', '\0', '😀', '\t', 'x: y', '!!js'];
    const value = { texts: [...texts, ...odd], keys: Object.fromEntries(texts.map(text => [`k${text}`, text])) };
    expect(parse(formatYaml(value), { version })).toEqual(value);
  });

  test('a YAML reader reads any JSON data back from the text of formatYaml', () => {
    const texts = fc.string({ unit: 'grapheme' });
    const data = fc.letrec<{ value: YamlValue }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false),
        fc.integer(),
        texts,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          texts.filter(text => text !== '__proto__' && text !== '<<'),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(data, value => {
        expect(parse(formatYaml(value), { version })).toEqual(value);
      }),
    );
  });
});
