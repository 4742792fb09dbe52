import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderJson } from '#compiler';
import { renderCompact } from '../../../compiler/diagnostics/render/compact.ts';
import { renderGithub } from '../../../compiler/diagnostics/render/github.ts';
import { renderGitlab } from '../../../compiler/diagnostics/render/gitlab.ts';
import { renderJunit } from '../../../compiler/diagnostics/render/junit.ts';
import { renderMarkdown } from '../../../compiler/diagnostics/render/markdown.ts';
import { renderSarif } from '../../../compiler/diagnostics/render/sarif.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';
import { createRendering, finding } from './rendering.ts';

/** The most hostile text that a spec can contain. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '%',
        '\r',
        '\n',
        ':',
        ',',
        '::error::',
        '|',
        '`',
        '<',
        '>',
        '&',
        '"',
        "'",
        ']]>',
        '\0',
        '\u001b[0m',
      ),
      fc.constantFrom(
        '\ufffe',
        '\uffff',
        '\ud800',
        '\u2028',
        '\u202e',
        '@team',
        '#12',
        'https://a.example',
        '\\',
        '</testcase>',
      ),
      fc.string({ unit: anyCharacter, maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map(parts => parts.join(''));

const hostile = fc.record({ message: text, file: text, fix: text }).map(({ message, file, fix }) => {
  return createRendering([finding('LNT1003', message, { file, fix })], { files: [file] });
});

const OPTIONS = { seed: 20_260_401, numRuns: runs(2_000) };

test('the compact format prints one line for each finding, whatever the text', () => {
  fc.assert(
    fc.property(hostile, rendering => {
      expect(renderCompact(rendering)).toMatch(
        /^[^\p{Cc}\p{Cs}\u2028\u2029]*:7:3: error\[LNT1003\]: [^\p{Cc}\p{Cs}\u2028\u2029]*\n$/u,
      );
    }),
    OPTIONS,
  );
});

test('the github format prints one command for each finding, and escapes characters that end a property', () => {
  fc.assert(
    fc.property(hostile, rendering => {
      const command =
        /^::error file=([^,:\r\n]*),line=7,endLine=7,col=3,endColumn=7,title=LNT1003 unknown-field::([^\r\n]*)\n$/;
      const [, file = '', message = ''] = command.exec(renderGithub(rendering)) ?? expect.fail(renderGithub(rendering));
      for (const part of [file, message]) expect(part.replace(/%(25|0A|0D|3A|2C)/g, '')).not.toContain('%');
    }),
    OPTIONS,
  );
});

test.each([
  ['50%, a:b', 'file=50%25%2C a%3Ab,line', 'title=LNT1003 unknown-field::50%25, a:b%0Afix: 50%25, a:b\n'],
  ['%0A', 'file=%250A,', '::%250A%0Afix: %250A\n'],
  ['a\r\n::error::\u001bb', 'file=a%0D%0A%3A%3Aerror%3A%3A\\u001bb,', '::a%0D%0A::error::\\u001bb%0Afix: a'],
])('the github format escapes %j', (raw, file, message) => {
  const output = renderGithub(createRendering([finding('LNT1003', raw, { file: raw, fix: raw })]));
  expect(output).toContain(file);
  expect(output).toContain(message);
});

test('the junit format prints well-formed XML, whatever the text', () => {
  fc.assert(
    fc.property(hostile, rendering => {
      const xml = renderJunit(rendering);
      expect(xml.isWellFormed()).toBe(true);
      expect(xml).not.toMatch(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
      expect(tagsOf(xml)).toEqual([
        ...[
          '?xml',
          'testsuites',
          'testsuite',
          'testcase',
          'failure',
          '/failure',
          '/testcase',
          '/testsuite',
          '/testsuites',
        ],
      ]);
    }),
    OPTIONS,
  );
});

test('the markdown format prints one table row for each finding, and texts without markup', () => {
  fc.assert(
    fc.property(hostile, rendering => {
      const lines = renderMarkdown(rendering).split('\n');
      expect(lines.slice(2, 6)).toEqual(['### Errors', '', '| Where | Code | Finding |', '|---|---|---|']);
      expect(lines).toHaveLength(8);
      const row = (lines[6] ?? '').replace(/^\| | \|$/g, '');
      expect(row.split(/(?<=(?<!\\)(?:\\\\)*) \| /)).toHaveLength(3);
      const open = row.replaceAll('<br>', '').replace(/\\./g, '').replace(/ \| /g, '');
      expect(open).not.toMatch(/[<>`*_[\]|~$\\]|&(?!(lt|gt|amp|#\d+);)|@(?!&#8203;)|(?<!&)#\d|:\/\/|www\./i);
    }),
    OPTIONS,
  );
});

/** Characters that move a cursor, change colors or reverse the reading direction; each format decides about line breaks itself. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const SIGNS = [
  '\u0000',
  '\u0007',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u061c',
  '\u200f',
  '\u2028',
  '\u202e',
  '\u2066',
];

/** Every text of a document that a person sees, without the paths by which a program opens files. */
const textsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === 'path' || key === 'uri' ? [] : textsOf(member)));
};

test.each(SIGNS)('the sarif and gitlab formats escape %j in texts for people', sign => {
  const raw = `a${sign}b`;
  const found = finding('LNT1003', raw, { file: raw, fix: raw, constructPath: raw, pointer: `/${raw}` });
  for (const render of [renderSarif, renderGitlab]) {
    const output = render(createRendering([found]));
    expect(output).not.toMatch(UNSAFE);
    const texts = textsOf(JSON.parse(output));
    expect(texts.filter(text => UNSAFE.test(text))).toEqual([]);
    const visible = `a\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}b`;
    expect(texts.filter(text => text.includes(visible))).not.toEqual([]);
  }
});

test('the json, sarif and gitlab formats contain no control characters, and a parser gets the path unchanged', () => {
  fc.assert(
    fc.property(hostile, rendering => {
      const { findings, checked, tool } = rendering;
      const documents = [renderSarif(rendering), renderGitlab(rendering), renderJson(findings, checked, tool)];
      for (const document of documents) expect(document).not.toMatch(UNSAFE);
      const [, gitlab = '', json = ''] = documents;
      expect(JSON.parse(gitlab)[0].location.path).toBe(findings.diagnostics[0]?.file);
      expect(JSON.parse(json).diagnostics[0].message).toBe(findings.diagnostics[0]?.message);
    }),
    OPTIONS,
  );
});

/** The names of all tags; throws for XML beyond the few forms that the formats write. */
function tagsOf(xml: string): readonly string[] {
  const tokens = [...xml.matchAll(/<([?/]?[a-z]+)((?: [a-z]+="[^"<>]*")*)\??\/?>|([^<>]+)/gs)];
  expect(tokens.map(([token]) => token).join('')).toBe(xml);
  for (const [, , attributes = '', content = ''] of tokens) {
    expect(`${attributes}${content}`).not.toMatch(/&(?!(amp|lt|gt|quot|apos);)/);
  }
  return tokens.flatMap(([, name]) => name ?? []);
}
