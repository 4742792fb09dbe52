/** YAML that the compiler writes, in either style, gives each YAML parser the original values. In `test/cluster`, kustomize parses it as well. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { formatYaml, formatYamlStream, type YamlStyle } from '../../../compiler/source/format-yaml.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { ODD_TEXTS } from '../../support/odd-texts.ts';
import { runs } from '../../support/runs.ts';

const STYLES: readonly YamlStyle[] = ['spec', 'manifest'];

/** Keys that YAML or JavaScript do not treat as ordinary members of an object. */
const NO_KEYS = new Set(['__proto__', '<<']);

const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: fc.constantFrom(...' \n-:#\'"0.e_y') }));

const { value } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter(number => !Object.is(number, -0)),
    text,
    fc.constantFrom(...ODD_TEXTS),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      text.filter(key => !NO_KEYS.has(key)),
      tie('value'),
      { maxKeys: 3 },
    ),
  ),
}));

describe.each(STYLES)('in the style of a %s', style => {
  describe.each(['1.1', '1.2'] as const)('a reader of YAML %s', version => {
    test.each(ODD_TEXTS)(
      `YAML in the style of a ${style} has the text %j unchanged for a YAML ${version} parser, as value, item and key`,
      odd => {
        const object = { value: odd, items: [odd, [odd]], ...(NO_KEYS.has(odd) ? {} : { keys: { [odd]: 1 } }) };
        expect(parse(formatYaml(object, style), { version })).toEqual(object);
      },
    );

    test(`YAML in the style of a ${style} has any JSON data unchanged for a YAML ${version} parser`, () => {
      fc.assert(
        fc.property(value, data => {
          expect(parse(formatYaml({ data }, style), { version })).toEqual({ data });
        }),
        { numRuns: runs(1_000) },
      );
    });

    test(`YAML in the style of a ${style} has a document for each object for a YAML ${version} parser`, () => {
      const objects = [{ a: 'on' }, { b: '---\n' }, { c: [] }];
      const documents = parseAllDocuments(formatYamlStream(objects, style), { version });
      expect(documents.map(document => document.toJS())).toEqual(objects);
    });
  });

  test(`YAML in the style of a ${style} writes a shared object twice instead of by an alias`, () => {
    const shared = { a: ['b'] };
    expect(formatYaml({ first: shared, second: shared }, style)).not.toMatch(/[&*]/);
  });

  test(`YAML in the style of a ${style} escapes characters that parsers fold, drop or refuse`, () => {
    const odd = '\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe\uffff';
    expect(formatYaml({ [odd]: odd }, style)).toBe(`"${escaped(odd)}": "${escaped(odd)}"\n`);
  });
});

function escaped(odd: string): string {
  return [...odd].map(character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

test('the compiler quotes a text in a spec only where a parser needs quotes, and in a manifest also if it looks like a number or option', () => {
  const object = { text: 'plain', word: 'off', number: '8080', option: '-y', json: '{"a":"it"}', value: '=' };
  expect(formatYaml(object)).toBe(
    `text: plain\nword: "off"\nnumber: "8080"\noption: -y\njson: '{"a":"it"}'\nvalue: "="\n`,
  );
  expect(formatYaml(object, 'manifest')).toBe(
    `text: plain\nword: 'off'\nnumber: '8080'\noption: '-y'\njson: '{"a":"it"}'\nvalue: '='\n`,
  );
});
