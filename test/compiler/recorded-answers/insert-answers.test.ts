/** Where recorded answers are inserted into a file of tests. */
import { expect, test } from 'vitest';
import { SourceText } from '#compiler';
import type { ToolAnswer, WorkflowExpectation, WorkflowTestFile } from '#schemas';
import { readText } from '../../../compiler/source/read-text.ts';
import type { SourceDocument } from '../../../compiler/source/source-document.ts';
import { insertAnswers } from '../../../compiler/workflow-tests/record/insert-answers.ts';

const ANSWERS = new Map<string, readonly ToolAnswer[]>([
  ['a.read', [{ arguments: { id: 1 }, output: { version: '1.10', on: 'off', long: `${'many words '.repeat(20)}` } }]],
]);

function insert(text: string, index = 0, answers = ANSWERS, expected?: WorkflowExpectation): string | undefined {
  const { documents } = readText(new SourceText('a.test.yaml', text));
  return insertAnswers(documents[0] as SourceDocument, new Map([[index, { answers, expect: expected }]]));
}

const read = (text: string) => readText(new SourceText('a', text)).documents[0]?.value as WorkflowTestFile;

test('lintel test --record writes answers after the name of a test, and keeps comments and the rest', () => {
  const text = `workflow: w # a comment
tests:
  - name: one # another
    input: { a: "1.10" }

  # of the second
  - name: two
`;
  const inserted = insert(text) ?? '';
  expect(inserted.replace(/long: .*/, 'long: …')).toBe(`workflow: w # a comment
tests:
  - name: one # another
    tools:
      a.read:
        - arguments:
            id: 1
          output:
            version: '1.10'
            'on': 'off'
            long: …
    input: { a: "1.10" }

  # of the second
  - name: two
`);
  expect(read(inserted).tests[0]?.tools).toEqual(Object.fromEntries(ANSWERS));
});

test.each<[what: string, text: string, index: number]>([
  ['for the last test at the end of the file', 'workflow: w\ntests:\n- name: one\n- name: two', 1],
  ['for a test with other fields in front of its name', 'workflow: w\ntests:\n  - input: {}\n    name: one\n', 0],
  [
    'for a test with a name over several lines',
    'workflow: w\ntests:\n  - name: >-\n      one\n      two\n    input: {}\n',
    0,
  ],
  [
    'next to answers of other tools',
    'workflow: w\ntests:\n  - name: one\n    tools:\n      # of b\n      b.x:\n        - toolError: no\n',
    0,
  ],
  [
    'behind answers of the same tool',
    'workflow: w\ntests:\n  - name: one\n    tools:\n      a.read:\n      - times: 1\n        toolError: no\n      # of b\n      b.x:\n        - toolError: no\n    input: {}\n',
    0,
  ],
  ['with CRLF line ends', 'workflow: w\r\ntests:\r\n  - name: one\r\n    input: {}\r\n', 0],
  ['after a byte order mark', '\uFEFFworkflow: w\ntests:\n  - name: one\n', 0],
])('lintel test --record writes answers %s', (_, text, index) => {
  const inserted = insert(text, index) ?? '';
  const before = read(text).tests[index];
  const tools = {
    ...before?.tools,
    'a.read': [...(before?.tools?.['a.read'] ?? []), ...(ANSWERS.get('a.read') ?? [])],
  };
  expect(read(inserted).tests[index]).toEqual({ ...before, tools });
  const lines = inserted.split('\n');
  for (const line of text.trimEnd().split('\n')) expect(lines.map(one => one.trimEnd())).toContain(line.trimEnd());
  expect(inserted.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
  if (text.includes('\r\n')) expect(inserted.replaceAll('\r\n', '')).not.toContain('\n');
});

test.each([
  ['a test in braces', 'workflow: w\ntests:\n  - { name: one }\n'],
  ['tests in brackets', 'workflow: w\ntests: [{ name: one }]\n'],
  ['tools in braces', 'workflow: w\ntests:\n  - name: one\n    tools: { b.x: [{ toolError: no }] }\n'],
])('lintel test --record writes no answers into %s', (_, text) => {
  expect(insert(text)).toBeUndefined();
});

test.each([
  ['with answers', ANSWERS],
  ['without answers', new Map()],
])('lintel test --record writes the expected result after the name of a test, %s', (_, answers) => {
  const text = 'workflow: w\ntests:\n  - name: one\n    # of the input\n    input: {}\n';
  const expected = { output: { count: 1 }, calls: [{ tool: 'a.read', arguments: { id: 1 } }] };
  const inserted = insert(text, 0, answers, expected) ?? '';
  expect(inserted).toContain('    # of the input\n    input: {}\n');
  expect(read(inserted).tests[0]).toEqual({
    ...{ name: 'one', input: {}, expect: expected },
    ...(answers.size === 0 ? {} : { tools: Object.fromEntries(answers) }),
  });
});
