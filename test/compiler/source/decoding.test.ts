import { expect, test } from 'vitest';
import type { Diagnostic } from '#compiler';
import { decode } from '../../../compiler/source/decode.ts';
import { line } from './reading.ts';

const UTF16 = 'It looks like UTF-16: save the file as UTF-8';
const BINARY = 'It looks like a binary file: give a text file of YAML or JSON';

const broken: readonly [name: string, bytes: readonly (string | number)[], finding: string, help?: string][] = [
  ['a NUL character', ['a: 1\nb: é\0'], 'LNT1018 2:5-2:6 the file holds a NUL character at byte 10'],
  [
    'a NUL character behind a byte order mark',
    ['\uFEFFa\0'],
    'LNT1018 1:2-1:3 the file holds a NUL character at byte 4',
  ],
  ['Latin-1 text', ['a: ', 0xe9, '\n'], 'LNT1018 1:4-1:5 the file is not UTF-8 at byte 3'],
  ['invalid UTF-8 behind a valid U+FFFD', ['é: \uFFFD\nb: ', 0xff], 'LNT1018 2:4-2:5 the file is not UTF-8 at byte 11'],
  ['a truncated character', ['a: ', 0xe2, 0x82], 'LNT1018 1:4-1:5 the file is not UTF-8 at byte 3'],
  ['an encoded surrogate', [0xed, 0xa0, 0x80], 'LNT1018 1:1-1:2 the file is not UTF-8 at byte 0'],
  ['an overlong form', ['a', 0xc0, 0x80], 'LNT1018 1:2-1:3 the file is not UTF-8 at byte 1'],
  ['UTF-16 with a byte order mark', [0xff, 0xfe, 'a\0:\0'], 'LNT1018 1:1-1:2 the file is not UTF-8 at byte 0', UTF16],
  [
    'UTF-16 with a letter beyond ASCII',
    [0xfc, '\0:\0 \0a\0'],
    'LNT1018 1:1-1:2 the file is not UTF-8 at byte 0',
    UTF16,
  ],
  [
    'a picture',
    [0x89, 'PNG\r\n', 0x1a, '\n\0\0\0\rIHDR\0\0'],
    'LNT1018 1:1-1:2 the file is not UTF-8 at byte 0',
    BINARY,
  ],
  [
    'random bytes',
    [8, 0xcf, '6I', 0xae, 0, 'a', 0xbc, '+', 0],
    'LNT1018 1:2-1:3 the file is not UTF-8 at byte 1',
    BINARY,
  ],
  ['UTF-16 without a byte order mark', ['a\0:\0'], 'LNT1018 1:2-1:3 the file holds a NUL character at byte 1', UTF16],
];

test.each(broken)(
  'the compiler reports the position of the first byte that is not UTF-8 text: %s',
  (_, bytes, finding, help) => {
    const found = diagnosticOf(bytes);
    expect(found && line(found)).toBe(finding);
    expect(found?.help).toBe(help ?? 'Make it readable, or save it as UTF-8');
  },
);

test('the compiler decodes valid UTF-8 with and without a byte order mark', () => {
  const text = 'a: "é\uFFFD🎉"\r\n';
  expect(decode('a.yaml', Buffer.from(text))).toMatchObject({ source: { file: 'a.yaml', text } });
  expect(decode('a.yaml', Buffer.from(`\uFEFF${text}`))).toMatchObject({ source: { text } });
  expect(decode('a.yaml', new Uint8Array())).toMatchObject({ source: { text: '' } });
});

function diagnosticOf(parts: readonly (string | number)[]): Diagnostic | undefined {
  const bytes = Buffer.concat(parts.map(part => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))));
  const result = decode('a.yaml', bytes);
  return 'diagnostic' in result ? result.diagnostic : undefined;
}
