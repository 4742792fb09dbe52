import { expect, test } from 'vitest';
import { renderPretty } from '#compiler';
import { formatHyperlink } from '../../../compiler/diagnostics/render/hyperlink.ts';
import { at, findings } from './finding.ts';

const LINK = '\u001b]8;;https://example.com/a\u001b\\a\u001b]8;;\u001b\\';

test.each([
  ['https://example.com/a', LINK],
  [undefined, 'a'],
  ['', 'a'],
  ['https://example.com/\u001b\\', 'a'],
  ['https://example.com/\u0007', 'a'],
  ['https://example.com/ü', 'a'],
  ['https://example.com/a b', 'a'],
])('formatHyperlink with the URI %j writes %j', (uri, expected) => {
  expect(formatHyperlink('a', uri)).toBe(expected);
});

test('the places of findings, related findings and equal findings, and nothing else, are terminal links in the text report of lintel check', () => {
  const [one, two] = [at('a.yaml', 4), at('b.yaml', 0)];
  const found = { ...one, related: [{ message: 'here', file: 'c.yaml', range: two.range }] };
  const text = renderPretty(findings(found, two), () => undefined, {
    color: false,
    isGrouped: true,
    links: { placeUri: (file, line) => `file:///${file}#${line}` },
  });
  const link = (file: string, column: number) => formatHyperlink(`${file}:1:${column}`, `file:///${file}#1`);
  expect(text.replace(/^ += help: .*\n/gm, '')).toBe(`a.yaml: 1 error

error[LNT1003] unknown-field: m
 --> ${link('a.yaml', 5)}
note: here
 --> ${link('c.yaml', 1)}
  = also at ${link('b.yaml', 1)}
`);
});

test('a code is a terminal link to its page if there is a page', () => {
  const headlines = (codeUri: ((code: string) => string | undefined) | undefined) =>
    renderPretty(findings(at('a.yaml', 4)), () => undefined, {
      color: false,
      links: { placeUri: () => undefined, codeUri },
    }).split('\n', 1);
  const page = 'https://docs.example.com/codes/LNT1003.html';
  expect(headlines(code => `https://docs.example.com/codes/${code}.html`)).toEqual([
    `error[${formatHyperlink('LNT1003', page)}] unknown-field: m`,
  ]);
  expect(headlines(() => undefined)).toEqual(['error[LNT1003] unknown-field: m']);
  expect(headlines(undefined)).toEqual(['error[LNT1003] unknown-field: m']);
});
