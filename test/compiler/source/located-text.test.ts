import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runs } from '../../support/runs.ts';
import { only, readValues, textAt } from './reading.ts';

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    'yes',
    'null',
    '1',
    '0x1',
    ' x ',
    'a: b',
    '# c',
    '*a',
    '&a',
    '!t',
    "it's",
    '"',
    '\\',
    'a\nb',
    '\ta\n\n',
  ),
);
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { root } = fc.letrec<{ root: Value; value: Value }>(tie => ({
  root: fc.dictionary(text, tie('value'), { minKeys: 1, maxKeys: 6, noNullPrototype: true }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar as fc.Arbitrary<Value>,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

const printers: readonly [name: string, file: string, print: (value: Value) => string][] = [
  ['YAML', 'a.yaml', value => stringify(value, { aliasDuplicateObjects: false })],
  ['YAML with CRLF', 'a.yaml', value => stringify(value, { aliasDuplicateObjects: false }).replaceAll('\n', '\r\n')],
  [
    'YAML in flow style',
    'a.yaml',
    value => stringify(value, { collectionStyle: 'flow', aliasDuplicateObjects: false }),
  ],
  ['JSON', 'a.json', value => JSON.stringify(value)],
  ['JSON with tabs', 'a.json', value => JSON.stringify(value, null, '\t')],
];

test.each(printers)(
  'the range that the compiler finds for a value in random %s contains exactly the text of the value',
  (_, file, print) => {
    fc.assert(
      fc.property(root, value => {
        const document = only(print(value), file);
        expect(document.value).toEqual(value);
        for (const [path, member] of membersOf(value)) {
          const { start } = document.locate(path, 'value');
          // The first line of a block has no indentation; it is restored from the parent, and so is the reference indentation of block scalars.
          const located = `- \n ${' '.repeat(start.column - 1)}${textAt(document, path, 'value').replaceAll('\n', '\n ')}`;
          const again = file.endsWith('.json')
            ? (readValues(textAt(document, path, 'value'), file)[0] ?? null)
            : itemOf(located);
          expect(again).toEqual(member);
          const key = path.at(-1);
          if (typeof key === 'string') expect(keyOf(textAt(document, path, 'key'))).toBe(key);
        }
      }),
      { seed: 20_260_501, numRuns: runs(150) },
    );
  },
);

function itemOf(text: string): unknown {
  return (readValues(text)[0] as unknown[])[0];
}

function keyOf(key: string): string | undefined {
  return Object.keys(readValues(`? ${key}`)[0] as object)[0];
}

/** All paths of a value except the root's. */
function membersOf(value: Value, path: (string | number)[] = []): [path: (string | number)[], value: Value][] {
  if (typeof value !== 'object' || value === null) return [];
  const members: [string | number, Value][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return members.flatMap(([step, member]) => [[[...path, step], member], ...membersOf(member, [...path, step])]);
}
