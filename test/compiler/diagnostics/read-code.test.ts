import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CODES } from '#compiler';
import { formatPinnedCodes } from '../../../compiler/diagnostics/generate/pinned-codes.ts';
import { readCode } from '../../../compiler/diagnostics/generate/read-code.ts';

const FOLDER = 'compiler/diagnostics/codes';

const PAGE = `---
severity: warning
since: 0.1.0
needs: lock
fixed: tested
constructs: "still possible: a warning: it needs annotations"
---

# LNT3008 hidden-yet-reachable

A tool is hidden and yet
reachable.

A filter hides, only policies protect.

## What to do

Write policies.

## Bad

\`\`\`yaml
a: 1
\`\`\`

## Good

\`\`\`yaml
a: 2

b: 3
\`\`\`
`;

test('readCode reads the settings, texts and examples of a code from its page, and joins wrapped lines', () => {
  expect(readCode('LNT3008-hidden-yet-reachable.md', PAGE)).toEqual([
    'LNT3008',
    {
      name: 'hidden-yet-reachable',
      severity: 'warning',
      needsLock: true,
      meaning: 'A tool is hidden and yet reachable. A filter hides, only policies protect.',
      since: '0.1.0',
      fix: 'Write policies',
      fixed: 'tested',
      bad: [{ language: 'yaml', text: 'a: 1\n' }],
      good: [{ language: 'yaml', text: 'a: 2\n\nb: 3\n' }],
    },
    { way: 'still possible', why: 'a warning: it needs annotations' },
  ]);
});

test('readCode reads an example of several files and commands', () => {
  const blocks =
    '`app.ts`:\n\n```ts\nexport {};\n\nexport {};\n```\n\n`a/b.json`:\n\n```json\n{}\n```\n\n```sh\nls\n```';
  const [, { bad }] = readCode('LNT3008-hidden-yet-reachable.md', PAGE.replace('```yaml\na: 1\n```', blocks));
  expect(bad).toEqual([
    { file: 'app.ts', language: 'ts', text: 'export {};\n\nexport {};\n' },
    { file: 'a/b.json', language: 'json', text: '{}\n' },
    { language: 'sh', text: 'ls\n' },
  ]);
});

test.each<[replaced: string, by: string, message: string]>([
  ['# LNT3008', '# 3008', '"3008 hidden-yet-reachable" is not a code and its name in kebab-case'],
  ['# LNT3008', '# LNT3009', 'its title asks for the file name LNT3009-hidden-yet-reachable.md'],
  ['---\n', '', 'expected front matter and then a title, # LNT1234 name'],
  ['severity: warning', 'severity: fatal', 'severity: error, warning or hint'],
  ['since: 0.1.0\n', '', 'since: the version that adds the code'],
  ['needs: lock', 'needs: luck', 'needs: lock or pods'],
  [
    'fixed: tested',
    'fixed: toString',
    'fixed: one of admission, unreadable, unbuildable, unservable, tested, oversight',
  ],
  [
    'constructs: "still possible: a warning: it needs annotations"\n',
    '',
    'each code from LNT3001 to LNT6999, and no other, has constructs: "WAY: REASON"; WAY is one of cannot be written, error at synth, still possible',
  ],
  [
    '"still possible: a warning: it needs annotations"',
    'still possible: a warning',
    'each code from LNT3001 to LNT6999, and no other, has constructs: "WAY: REASON"; WAY is one of cannot be written, error at synth, still possible',
  ],
  [
    'still possible:',
    'perhaps:',
    'each code from LNT3001 to LNT6999, and no other, has constructs: "WAY: REASON"; WAY is one of cannot be written, error at synth, still possible',
  ],
  ['needs: lock', 'wants: lock', 'front matter has no member "wants"'],
  ['## Bad', '## Wrong', 'no section is called "Wrong"; use What to do, Bad, Good'],
  ['## What to do\n\nWrite policies.\n', '', 'the section "What to do" has to end with a full stop'],
  ['## Good', '## Bad', 'the section "Good" is missing'],
  ['```yaml\na: 1', '```\na: 1', 'Bad: the language of a block is one of yaml, json, ts, sh'],
  ['```yaml\na: 1', '```json\n{}', 'Bad: name the file of each block'],
  [
    '```yaml\na: 1',
    'Like this:\n\n```yaml\na: 1',
    'Bad: expected blocks of code, each with the name of its file above it, such as `app.ts`:',
  ],
  ['```yaml\na: 1', '```sh\nls\n```\n\n```sh\nls', 'Bad: all commands are in one block, without a file name'],
  ['```yaml\na: 1', '`a.yaml`:\n\n```yaml\na: 1\n```\n\n```yaml\nb: 1', 'Bad: name the file of each block'],
])('readCode refuses the page of a code with %j replaced by %j', (replaced, by, message) => {
  expect(() => readCode('LNT3008-hidden-yet-reachable.md', PAGE.replace(replaced, by))).toThrow(
    `compiler/diagnostics/codes/LNT3008-hidden-yet-reachable.md: ${message}`,
  );
});

test('the registered codes equal the pages in compiler/diagnostics/codes', () => {
  const pages = readdirSync(FOLDER).map(page => readCode(page, readFileSync(`${FOLDER}/${page}`, 'utf8')));
  expect(Object.fromEntries(pages)).toEqual(CODES);
});

const PAGES = [readCode('LNT3008-hidden-yet-reachable.md', PAGE)];

test('formatPinnedCodes adds a new code to the list of codes, and keeps a code that has not changed', () => {
  expect(formatPinnedCodes('{}', PAGES)).toBe('{\n  "LNT3008": "warning hidden-yet-reachable"\n}\n');
  const same = '{\n  "LNT3008": "warning hidden-yet-reachable"\n}\n';
  expect(formatPinnedCodes(same, PAGES)).toBe(same);
});

test.each([
  [
    'another severity',
    '{ "LNT3008": "error hidden-yet-reachable" }',
    'LNT3008 was "error hidden-yet-reachable" and is "warning',
  ],
  [
    'another name',
    '{ "LNT3008": "warning hidden" }',
    'LNT3008 was "warning hidden" and is "warning hidden-yet-reachable"',
  ],
  ['no page', '{ "LNT3007": "hint gone" }', 'LNT3007 was "hint gone" and has no page: codes are permanent'],
])('formatPinnedCodes refuses a code of the list that has %s', (_, before, message) => {
  expect(() => formatPinnedCodes(before, PAGES)).toThrow(message);
});
