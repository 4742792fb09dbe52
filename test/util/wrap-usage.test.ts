import { expect, test } from 'vitest';
import { wrapUsage } from '#util';

const USAGE = `Usage: tool --in FILE [options]
       tool --serve NAME -- COMMAND [ARGUMENT...]

Reads a file, and writes another one
that has the same content.

Options:
  --in FILE        the file to read; or - for standard input, where each line is a
                   file of its own
  --serve NAMESPACE/NAME
                   one server
  -h, --help       print this text

Exit codes: 0 done, 2 bad options, and 70 when the program
has a mistake.
`;

test.each([undefined, 0, 90])('is unchanged for %s columns', columns => {
  expect(wrapUsage(USAGE, columns)).toBe(USAGE);
});

test('paragraphs and descriptions are wrapped', () => {
  expect(wrapUsage(USAGE, 50)).toBe(`Usage: tool --in FILE [options]
       tool --serve NAME -- COMMAND [ARGUMENT...]

Reads a file, and writes another one that has the
same content.

Options:
  --in FILE        the file to read; or - for
                   standard input, where each line
                   is a file of its own
  --serve NAMESPACE/NAME
                   one server
  -h, --help       print this text

Exit codes: 0 done, 2 bad options, and 70 when the
program has a mistake.
`);
});

test('on a very narrow terminal descriptions are below their options', () => {
  const text = wrapUsage(USAGE, 36);
  expect(text).toContain(`  --in FILE
      the file to read; or - for
      standard input, where each
      line is a file of its own
  --serve NAMESPACE/NAME
      one server
`);
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(36);
});
