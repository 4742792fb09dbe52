import { expect, test } from 'vitest';
import { wrapUsage } from '#shared/util';

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

test.each([undefined, 0, 90])('the help text of a program stays unchanged for a width of %s columns', columns => {
  expect(wrapUsage(USAGE, columns)).toBe(USAGE);
});

test('the paragraphs and descriptions of a help text are wrapped to the width of the terminal', () => {
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

test('a help text has its descriptions below their options on a very narrow terminal', () => {
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
