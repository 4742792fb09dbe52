/** To which lines and fields a suppression comment applies, depending on where it stands. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SourceText } from '#compiler';
import { listCommentDirectives } from '../../../compiler/lint/index.ts';
import { measureCpuMs } from '../../support/cpu-time.ts';
import { counting, judged, notCounting } from './judging.ts';

const IGNORE = '# lintel-ignore LNT1008: known';

/** A gateway with two settings without effect: on lines 9 and 10 if there are no comments. */
const text = (at: { top?: string; spec?: string; config?: string; block?: string; first?: string; end?: string }) => {
  const line = (indent: number, comment: string | undefined) =>
    comment === undefined ? '' : `${' '.repeat(indent)}${comment}\n`;
  return `${line(0, at.top)}apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
${line(0, at.spec)}spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
${line(2, at.config)}  config:
    aggregation:
      conflictResolution: prefix
${line(6, at.block)}      conflictResolutionConfig:
${line(8, at.first)}        priorityOrder: [github]${at.end === undefined ? '' : ` ${at.end}`}
status: {}
---
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: https://github.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
`;
};
const BOTH = ['LNT1008 warning 11', 'LNT1008 hint 12'];

test('lintel check counts both findings of the sample without a suppression', () => {
  expect(counting(judged(text({})))).toEqual(BOTH);
});

test.each([
  ['at the end of the line', text({ end: IGNORE }), ['LNT1008 hint 12'], ['LNT1008 11 comment']],
  ['above the key', text({ first: IGNORE }), ['LNT1008 hint 13'], ['LNT1008 12 comment']],
  ['above the parent key', text({ block: IGNORE }), ['LNT1008 hint 13'], ['LNT1008 12 comment']],
  ['above the spec', text({ spec: IGNORE }), ['LNT1008 hint 13'], ['LNT1008 12 comment']],
  [
    'above the first key, for the whole document',
    text({ top: IGNORE }),
    [],
    ['LNT1008 12 comment', 'LNT1008 13 comment'],
  ],
  ['above the start of the document', `${IGNORE}\n---\n${text({})}`, [], ['LNT1008 13 comment', 'LNT1008 14 comment']],
  [
    'with other comments and empty lines in between',
    text({ block: `${IGNORE}\n\n      # because\n` }),
    ['LNT1008 hint 16'],
    ['LNT1008 15 comment'],
  ],
  [
    'by the name of the code',
    text({ first: '# lintel-ignore field-ignored: known' }),
    ['LNT1008 hint 13'],
    ['LNT1008 12 comment'],
  ],
  [
    'of several codes',
    text({ top: '# lintel-ignore LNT2004, LNT1008: known' }),
    ['LNT1033 warning 1'],
    ['LNT1008 12 comment', 'LNT1008 13 comment'],
  ],
  [
    'with Windows line breaks',
    text({ first: IGNORE }).replaceAll('\n', '\r\n'),
    ['LNT1008 hint 13'],
    ['LNT1008 12 comment'],
  ],
])('a lintel-ignore comment suppresses a finding %s', (_, source, left, suppressed) => {
  const compilation = judged(source);
  expect([counting(compilation), notCounting(compilation)]).toEqual([left, suppressed]);
});

test.each([
  ["at the end of a key's line, which does not cover the value", text({}).replace('  config:', `  config: ${IGNORE}`)],
  ['above another key', text({ config: IGNORE }).replace(IGNORE, `${IGNORE}\n  sessionAffinity: None`)],
  ['below the finding', text({}).replace('[github]\nstatus: {}\n', `[github]\n        ${IGNORE}\n`)],
])('a lintel-ignore comment suppresses nothing and gives LNT1033 %s', (_, source) => {
  const compilation = judged(source);
  expect(notCounting(compilation)).toEqual([]);
  expect(counting(compilation).filter(line => line.startsWith('LNT1033'))).toHaveLength(1);
});

test.each([
  ['with two letters swapped', '# lintel-ingore LNT1008: known', 'lintel-ingore'],
  ['with a longer word', '# lintel-ignored LNT1008: known', 'lintel-ignored'],
  ['in capitals', '# Lintel-Ignore LNT1008: known', 'Lintel-Ignore'],
  ['in two words', '# lintel ignore LNT1008: known', 'lintel ignore'],
  ['with a colon', '#lintel:ignore field-ignored: known', 'lintel:ignore'],
  ['without a reason', '## lint-ignore lnt1008', 'lint-ignore'],
])('a misspelt lintel-ignore %s suppresses nothing, and LNT1031 suggests the right word', (_, comment, written) => {
  const compilation = judged(text({ first: comment }));
  expect(notCounting(compilation)).toEqual([]);
  expect(counting(compilation)).toEqual(['LNT1031 warning 11', 'LNT1008 warning 12', 'LNT1008 hint 13']);
  const [found] = compilation.findings.diagnostics.filter(({ code }) => code === 'LNT1031');
  expect([found?.message, found?.fix]).toEqual([`"${written}" suppresses nothing`, 'did you mean "lintel-ignore"?']);
});

test.each([
  ['lintel-ignores in a sentence', '# lintel-ignores what it does not know'],
  ['another word', '# lintel-lock LNT1008: known'],
  ['lintel-ignore in the middle of a comment', '# see lintel-ignore LNT1008: known'],
])('a comment with %s is no suppression', (_, comment) => {
  expect(counting(judged(text({ first: comment })))).toEqual(['LNT1008 warning 12', 'LNT1008 hint 13']);
});

test.each([
  ['a literal block', `a: |\n  ${IGNORE}\n  more\n`],
  ['a folded block', `a: >-\n  ${IGNORE}\n`],
  ['double quotes', `a: "x\n  ${IGNORE} "\n`],
  ['single quotes', `a: 'x ${IGNORE}'\n`],
  ['a plain value without a space in front', `a: x${IGNORE}\n`],
])('a lintel-ignore in %s is text and not a comment', (_, source) => {
  expect(listCommentDirectives(new SourceText('a.yaml', source))).toEqual([]);
});

test.each([
  ['after a literal block', `a: |\n  text\n${IGNORE}\nb: 1\n`, 3, 4],
  ['after the header of a literal block', `a: | ${IGNORE}\n  text\n`, 1, 1],
  ['after a flow value', `a: [1, 2] ${IGNORE}\nb: 1\n`, 1, 1],
  ['inside of a flow value', `a: [\n  ${IGNORE}\n  1]\n`, 2, 3],
  ['behind a byte order mark', `\ufeff${IGNORE}\na: 1\n`, 1, 2],
  ['behind other characters', `a: "\u{1f600}\u001f" # x\n${IGNORE}\nb: 1\n`, 2, 3],
  ['at the end of a file', `a: 1\n${IGNORE}`, 2, 3],
])('a lintel-ignore comment %s is a suppression', (_, source, line, target) => {
  const [directive, ...more] = listCommentDirectives(new SourceText('a.yaml', source));
  expect(more).toEqual([]);
  expect(directive?.location.range.start.line).toBe(line);
  expect(directive?.scope).toMatchObject({ line: target });
});

test('a suppression applies to an item of a Kubernetes List', () => {
  const list = `apiVersion: v1
kind: List
items:
  # lintel-ignore LNT1006: old cluster
  - apiVersion: lintel.dev/v1alpha1
    kind: MCPGroup
    metadata: { name: a }
  - apiVersion: lintel.dev/v1alpha1
    kind: MCPGroup
    metadata: { name: b }
`;
  const compilation = judged(list);
  expect([counting(compilation), notCounting(compilation)]).toEqual([['LNT1006 warning 8'], ['LNT1006 5 comment']]);
});

test('lintel check finds a lintel-ignore in random YAML only where a comment starts', () => {
  const parts = fc.constantFrom(
    IGNORE,
    '#',
    ' ',
    '\n',
    '\r\n',
    ': ',
    '- ',
    'a',
    '|',
    '>-',
    '"',
    "'",
    '{',
    '[',
    ']',
    '}',
    '---',
    '\u001f',
    '\u0002',
    '\u{1f600}',
    '\ufeff',
    '&a',
    '*a',
    '!t',
    '%',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 40 }), words => {
      const source = new SourceText('a.yaml', words.join(''));
      for (const { location } of listCommentDirectives(source)) {
        expect(source.text.slice(location.range.start.offset)).toMatch(/^#+ ?lintel-ignore/);
      }
    }),
    { seed: 3, numRuns: 3000 },
  );
});

test('lintel check reads 30,000 suppressions in under 10 seconds', () => {
  const many = `${'# lintel-ignore LNT1006: known\n'.repeat(30_000)}apiVersion: lintel.dev/v1alpha1\nkind: MCPGroup\nmetadata: { name: a }\n`;
  let suppressed: readonly unknown[] = [];
  const cpuMs = measureCpuMs(() => {
    ({ suppressed } = judged(many).findings);
  });
  expect(cpuMs).toBeLessThan(10_000);
  expect(suppressed).toHaveLength(1);
});
