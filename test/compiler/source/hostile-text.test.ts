import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { read } from './reading.ts';

const pieces = [
  ...[
    'a',
    'b: ',
    ': ',
    '- ',
    '? ',
    '\n',
    '\n  ',
    '\n\t',
    '\r\n',
    ' ',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    ',',
    '"',
    "'",
    '\\',
    '&x ',
    '*x ',
    '<<: ',
    '!t ',
    '!!set ',
    '|\n',
    '>-\n ',
    '# c\n',
    '@',
    '\u0085',
    '\uFEFF',
    '🎉',
  ],
  ...['"a": ', '1e999', '9007199254740993', 'null', '\\ud800', 'kind: List\n', 'items: ', '__proto__: ', '\0'],
];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map(parts => parts.join(''));

test.each(['a.yaml', 'a.json'])(
  'the compiler reads any text as %s without an exception, and the position of every finding is inside of the text',
  file => {
    fc.assert(
      fc.property(text, input => {
        const { documents, diagnostics } = read(input, file);
        const places = documents.flatMap(document => [
          document.locate([], 'value'),
          document.locate(['a', 0, 'b'], 'key'),
          ...document.caveats.map(({ range }) => range),
        ]);
        for (const { start, end } of [...places, ...diagnostics.map(({ range }) => range)]) {
          expect(start.offset).toBeLessThanOrEqual(end.offset);
          expect(end.offset).toBeLessThanOrEqual(input.length);
          expect(start.line).toBeGreaterThanOrEqual(1);
          expect(start.column).toBeGreaterThanOrEqual(1);
        }
        expect(read(input, file).diagnostics).toEqual(diagnostics);
      }),
      { seed: 20_260_501, numRuns: 2000 },
    );
  },
);
