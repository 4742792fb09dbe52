import { expect, test } from 'vitest';
import { type Baseline, type BaselineEntry, toBaselineEntries } from '../../../compiler/lint/index.ts';
import { formatBaseline } from '../../../compiler/project/index.ts';
import { counting, judged, notCounting } from './judging.ts';

const POSITION = { line: 1, column: 1, offset: 0 };
const toName = (file: string) => file;

function baselineOf(entries: readonly BaselineEntry[], gone: readonly string[] = []): Baseline {
  const getRange = () => ({ start: POSITION, end: POSITION });
  return { file: 'baseline.json', entries, gone: new Set(gone), getRange, toName };
}

const group = (name: string, version = 'v1alpha1') =>
  `apiVersion: lintel.dev/${version}\nkind: MCPGroup\nmetadata: { name: ${name} }\n`;

const known = (text: string | readonly string[]) => baselineOf(toBaselineEntries(judged(text).findings.all, toName));

const WORKFLOW = (steps: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPCompositeToolDefinition
metadata: { name: w }
spec:
  name: w
  description: d
  timeout: 1m
  steps:
${steps}`;
const slow = (id: string) => `    - { id: ${id}, tool: a.b, timeout: 5m }\n`;

test('lintel baseline writes an entry for each finding, sorted', () => {
  const texts = [`${group('b')}---\n${group('a')}`, `${WORKFLOW(slow('x') + slow('y'))}`];
  expect(toBaselineEntries(judged(texts).findings.all, toName)).toEqual([
    { file: 'a.yaml', object: 'MCPGroup default/a', code: 'LNT1006', field: '/apiVersion', count: 1 },
    { file: 'a.yaml', object: 'MCPGroup default/b', code: 'LNT1006', field: '/apiVersion', count: 1 },
    {
      file: 'b.yaml',
      object: 'VirtualMCPCompositeToolDefinition default/w',
      code: 'LNT7011',
      field: '/spec/steps/*/timeout',
      count: 2,
    },
  ]);
});

/** Rows of: the sources of the baseline, the current sources, the findings that count, and those in the baseline. */
test.each<[string, string, string, readonly string[], number]>([
  ['the same sources', group('a'), group('a'), [], 1],
  ['moved lines', group('a'), `# a comment\n\n${group('a')}`, [], 1],
  ['a new object', group('a'), `${group('a')}---\n${group('b')}`, ['LNT1006 warning 5'], 1],
  ['a new finding with another code', group('a'), `${group('a')}status: {}\n`, ['LNT1008 hint 4'], 1],
  ['an item inserted in front', WORKFLOW(slow('x')), WORKFLOW(`    - { id: w, tool: a.c }\n${slow('x')}`), [], 1],
  [
    'a second finding of the same kind, so that both count',
    WORKFLOW(slow('x')),
    WORKFLOW(slow('x') + slow('y')),
    ['LNT7011 warning 9', 'LNT7011 warning 10'],
    0,
  ],
  ['one finding fewer', WORKFLOW(slow('x') + slow('y')), WORKFLOW(slow('x')), ['LNT1035 warning 1'], 1],
  ['no finding any more', group('a'), group('a', 'v1beta1'), ['LNT1035 warning 1'], 0],
  [
    'an error that a baseline cannot cover',
    `${group('a', 'v1beta1')}spec: { x: 1 }\n`,
    `${group('a', 'v1beta1')}spec: { x: 1 }\n`,
    ['LNT1003 error 4'],
    0,
  ],
  [
    'fewer findings in a file that was not fully checked',
    `${group('a')}---\n${group('b')}`,
    `${group('a')}---\n${group('b', 'v1beta1')}spec: { x: 1 }\n`,
    ['LNT1003 error 8'],
    1,
  ],
])('lintel check compares findings with the baseline: %s', (_, before, now, counted, baselined) => {
  const compilation = judged(now, { project: { baseline: known(before) } });
  expect(counting(compilation).sort()).toEqual([...counted].sort());
  expect(notCounting(compilation).filter(line => line.endsWith('baseline'))).toHaveLength(baselined);
});

test('lintel check reports stale baseline entries of removed files, and none of files outside of its arguments', () => {
  const { entries } = known([group('a'), group('b')]);
  expect(counting(judged([group('a')], { project: { baseline: baselineOf(entries) } }))).toEqual([]);
  const { diagnostics } = judged([group('a')], { project: { baseline: baselineOf(entries, ['b.yaml']) } }).findings;
  expect(diagnostics).toMatchObject([
    { code: 'LNT1035', file: 'baseline.json', message: '1 finding of the baseline does not occur any more' },
  ]);
});

test('lintel check reports no stale baseline entry if the check is incomplete', () => {
  const baseline = known([group('a'), 'a: 1']);
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  expect(counting(judged([group('a', 'v1beta1'), deep], { project: { baseline } }))).toEqual(['LNT1017 error 1']);
});

test('lintel baseline leaves out suppressed findings and findings about suppressions', () => {
  const text = `# lintel-ignore LNT1006: known\n${group('a')}---\n# lintel-ignore LNT1008: unused\n${group('b')}`;
  const entries = toBaselineEntries(judged(text).findings.all, toName);
  expect(entries.map(({ code, object }) => [code, object])).toEqual([['LNT1006', 'MCPGroup default/b']]);
});

test('lintel baseline writes every finding, even if there are more findings than a report shows', () => {
  const many = Array.from({ length: 300 }, (_, at) => group(`g${at}`)).join('---\n');
  expect(toBaselineEntries(judged(many).findings.all, toName)).toHaveLength(300);
  expect(judged(many, { project: { baseline: known(many) } }).findings).toMatchObject({
    counts: { error: 0, warning: 0, hint: 0 },
    omitted: [],
  });
});

test('the baseline file has one line for each entry', () => {
  expect(formatBaseline([])).toBe('{\n  "formatVersion": 1,\n  "findings": []\n}\n');
  const entries = known([group('a'), group('b')]).entries;
  expect(formatBaseline(entries)).toBe(`{
  "formatVersion": 1,
  "findings": [
    {"file":"a.yaml","object":"MCPGroup default/a","code":"LNT1006","field":"/apiVersion","count":1},
    {"file":"b.yaml","object":"MCPGroup default/b","code":"LNT1006","field":"/apiVersion","count":1}
  ]
}
`);
});
