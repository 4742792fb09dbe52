/** Errors in suppressions: an invalid one suppresses nothing. */
import { expect, test } from 'vitest';
import { CODES } from '#compiler';
import { createCatalog, EMPTY_LOCK } from '../../../compiler/analysis/catalog/index.ts';
import { counting, judged, notCounting } from './judging.ts';

const GROUP = 'apiVersion: lintel.dev/v1alpha1\nkind: MCPGroup\nmetadata: { name: tools }\n';

/** Rows of: the text after the keyword, and the finding about it. */
test.each([
  ['LNT1006', 'the suppression gives no reason: write it after a colon'],
  ['LNT1006:', 'the suppression gives no reason: write it after a colon'],
  ['LNT1006: (expires: 2027-01-31)', 'the suppression gives no reason: write it after a colon'],
  ['LNT1006 because', 'the suppression gives no reason: write it after a colon'],
  [': known', 'the suppression names no code'],
  ['', 'the suppression names no code'],
  ['LNT1006: known (expires: soon)', 'the suppression expires on no day: write it as in "expires: 2027-01-31"'],
  ['LNT1006: known (expires: 2027-02-29)', 'the suppression expires on no day: write it as in "expires: 2027-01-31"'],
  ['LNT1006: known (expires: 2027-1-31)', 'the suppression expires on no day: write it as in "expires: 2027-01-31"'],
  ['LNT1006: known (expires:)', 'the suppression has nothing behind "expires:"'],
  ['LNT1006: known (expire: 2027-01-31)', 'the suppression has a detail that is not known: did you mean "expires"?'],
  [
    'LNT1006: known (owner: @a, team: b)',
    'the suppression has a detail that is not known: there are owner and expires',
  ],
])('# lintel-ignore %s gives LNT1031 and suppresses nothing', (text, message) => {
  const compilation = judged(`# lintel-ignore ${text}\n${GROUP}`);
  expect(counting(compilation)).toEqual(['LNT1031 warning 1', 'LNT1006 warning 2']);
  expect(compilation.findings.diagnostics[0]).toMatchObject({ code: 'LNT1031', message });
});

test.each([
  ['known', 'known'],
  ['see https://example.com/a:b', 'see https://example.com/a:b'],
  ['known (at least to us)', 'known (at least to us)'],
  ['known (owner: @platform)', 'known (owner: @platform)'],
  ['known (owner: @platform, expires: 2026-06-01)', 'known (owner: @platform, expires: 2026-06-01)'],
  ['  known   (expires: 2096-02-29)  ', 'known   (expires: 2096-02-29)'],
])('a suppression with the reason "%s" takes effect', (text, reason) => {
  const { findings } = judged(`# lintel-ignore LNT1006:${text}\n${GROUP}`);
  expect(findings.diagnostics).toEqual([]);
  expect(findings.suppressed).toMatchObject([{ by: 'comment', reason, finding: { code: 'LNT1006' } }]);
});

test('a suppression is in effect until the end of its last day, and without end if lintel check does not know the date of today', () => {
  const text = `# lintel-ignore LNT1006: known (expires: 2026-03-31)\n${GROUP}`;
  expect(counting(judged(text, { today: '2026-03-31' }))).toEqual([]);
  expect(counting(judged(text, { today: '2026-04-01' }))).toEqual(['LNT1032 warning 1', 'LNT1006 warning 2']);
  expect(counting(judged(text, { today: null }))).toEqual([]);
});

test.each([
  ['LNT1O06', { code: 'LNT1030', message: 'there is no code "LNT1O06"' }],
  ['LNT9999', { code: 'LNT1030', message: 'there is no code "LNT9999"' }],
  [
    'deprecated-api-vrsion',
    {
      code: 'LNT1030',
      message: 'there is no code "deprecated-api-vrsion"',
      fix: 'did you mean "deprecated-api-version"?',
    },
  ],
])('a suppression of %s gives LNT1030, because the code does not exist', (code, expected) => {
  const compilation = judged(`# lintel-ignore ${code}: known\n${GROUP}`);
  expect(counting(compilation)).toEqual(['LNT1030 warning 1', 'LNT1006 warning 2']);
  expect(compilation.findings.diagnostics[0]).toMatchObject(expected);
});

test.each(Object.entries(CODES).filter(([, { fixed }]) => fixed !== undefined))(
  'the code %s cannot be suppressed',
  code => {
    const { diagnostics } = judged(`# lintel-ignore ${code}: known\n${GROUP}`).findings;
    expect(diagnostics[0]).toMatchObject({ code: 'LNT1034', severity: 'warning' });
  },
);

test('a finding about an object that the API server refuses cannot be suppressed', () => {
  const text = `# lintel-ignore LNT1003: known\n${GROUP.replace('v1alpha1', 'v1beta1')}spec: { descripton: x }\n`;
  expect(counting(judged(text))).toEqual(['LNT1034 warning 1', 'LNT1003 error 5']);
});

test('an unused suppression gives LNT1033, unless its object has errors', () => {
  const unused = `# lintel-ignore LNT1008: known\n${GROUP.replace('v1alpha1', 'v1beta1')}`;
  expect(counting(judged(unused))).toEqual(['LNT1033 warning 1']);
  expect(counting(judged(`${unused}spec: { descripton: x }\n`))).toEqual(['LNT1003 error 5']);
});

test('an unused suppression of a hint gives LNT1033, unless the suppressed object refers to a missing object', () => {
  const unused = `# lintel-ignore LNT7010: known\napiVersion: lintel.dev/v1beta1\nkind: MCPServerEntry\nmetadata: { name: a }\n`;
  const text = (group: string) =>
    `${unused}spec: { remoteUrl: "https://a.example.com/mcp", transport: sse, groupRef: { name: ${group} } }\n---\n${GROUP.replace('v1alpha1', 'v1beta1')}`;
  const lock = { catalog: createCatalog('lintel.lock.json', EMPTY_LOCK) };
  expect(counting(judged(text('tools'), lock))).toEqual(['LNT1033 warning 1']);
  expect(counting(judged(text('tolls'), lock))).toEqual(['LNT2001 error 5']);
});

test('lintel check calls a suppression of a code about tools unused only if there is a valid tool lock, which the code needs', () => {
  const text = `# lintel-ignore LNT4001: known\n${GROUP.replace('v1alpha1', 'v1beta1')}`;
  expect(CODES.LNT4001).toMatchObject({ needsLock: true });
  expect(counting(judged(text))).toEqual([]);
  const broken = createCatalog('lintel.lock.json', EMPTY_LOCK, false);
  expect(counting(judged(text, { catalog: broken }))).toEqual([]);
  const catalog = createCatalog('lintel.lock.json', EMPTY_LOCK);
  expect(counting(judged(text, { catalog }))).toEqual(['LNT1033 warning 1']);
});

test('a suppression of a code about pods is reported as unused only if the compilation has the target pods', () => {
  const text = `# lintel-ignore LNT6020: known\n${GROUP.replace('v1alpha1', 'v1beta1')}`;
  expect(counting(judged(text))).toEqual([]);
  expect(counting(judged(text, { target: 'pods' }))).toEqual(['LNT1033 warning 1']);
});

test('neither of two suppressions of one finding is reported as unused', () => {
  const text = `# lintel-ignore LNT1006: known\n${GROUP.replace('\n', ' # lintel-ignore LNT1006: known too\n')}`;
  expect(counting(judged(text))).toEqual([]);
});

test('a suppression of a finding that the profile drops is not reported as unused', () => {
  const text = `# lintel-ignore LNT1006: known\n${GROUP}`;
  const project = { profile: { name: 'minimal', version: '2026.1' } as const };
  expect(counting(judged(text, { project }))).toEqual([]);
});

const annotated = (annotations: string, kind = 'MCPGroup') =>
  GROUP.replace('MCPGroup', kind).replace('{ name: tools }', `{ name: tools, annotations: { ${annotations} } }`);

test.each([
  [
    'by number suppresses the finding',
    '"lintel.dev/ignore.LNT1006": "known (expires: 2027-01-31)"',
    [],
    ['LNT1006 1 annotation'],
  ],
  ['by name suppresses the finding', 'lintel.dev/ignore.deprecated-api-version: known', [], ['LNT1006 1 annotation']],
  ['without a reason gives LNT1031', '"lintel.dev/ignore.LNT1006": ""', ['LNT1006 warning 1', 'LNT1031 warning 3'], []],
  [
    'without a code gives LNT1031',
    '"lintel.dev/ignore.": known',
    ['LNT1006 warning 1', 'LNT1019 error 3', 'LNT1031 warning 3'],
    [],
  ],
  [
    'of an unknown code gives LNT1030',
    '"lintel.dev/ignore.LNT9999": known',
    ['LNT1006 warning 1', 'LNT1030 warning 3'],
    [],
  ],
  [
    'that has expired gives LNT1032',
    '"lintel.dev/ignore.LNT1006": "known (expires: 2020-01-31)"',
    ['LNT1006 warning 1', 'LNT1032 warning 3'],
    [],
  ],
  ['of no finding gives LNT1033', '"lintel.dev/ignore.LNT1008": known', ['LNT1006 warning 1', 'LNT1033 warning 3'], []],
  [
    'with a misspelt word gives LNT1031',
    'lintel.dev/ingore.LNT1006: known',
    ['LNT1006 warning 1', 'LNT1031 warning 3'],
    [],
  ],
  ['with a hyphen gives LNT1031', 'lintel.dev/ignore-LNT1006: known', ['LNT1006 warning 1', 'LNT1031 warning 3'], []],
  ['of another name gives LNT1008', 'lintel.dev/owner.team: known', ['LNT1006 warning 1', 'LNT1008 warning 3'], []],
])('a suppression by annotation %s', (_, annotations, left, suppressed) => {
  const compilation = judged(annotated(annotations));
  expect([counting(compilation), notCounting(compilation)]).toEqual([left, suppressed]);
});

test('a suppression by annotation suppresses findings only about the object that has the annotation', () => {
  const object = (name: string, annotations: object) => ({
    apiVersion: 'lintel.dev/v1alpha1',
    kind: 'MCPGroup',
    metadata: { name, annotations },
  });
  const items = [object('a', { 'lintel.dev/ignore.LNT1006': 'known' }), object('b', {})];
  const compilation = judged(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 1));
  expect(compilation.findings.suppressed.map(({ finding }) => finding.object?.name)).toEqual(['a']);
  expect(compilation.findings.diagnostics.map(({ object }) => object?.name)).toEqual(['b']);
});

test('a finding about a suppression cannot be suppressed', () => {
  const text = `# lintel-ignore LNT1033: known\n# lintel-ignore LNT1008: known\n${GROUP.replace('v1alpha1', 'v1beta1')}`;
  expect(counting(judged(text))).toEqual(['LNT1034 warning 1', 'LNT1033 warning 2']);
});
