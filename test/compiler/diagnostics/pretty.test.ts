import { expect, test } from 'vitest';
import { renderPretty } from '#compiler';
import type { DiagnosticDetails } from '../../../compiler/diagnostics/diagnostic.ts';
import { MAX_FINDINGS_PER_FILE, Report } from '../../../compiler/diagnostics/report.ts';
import { measureCpuMs } from '../../support/cpu-time.ts';
import { at, createLineSource, findings, marked } from './finding.ts';

const FIX: DiagnosticDetails = { fix: 'f' };

function pretty(text: string, details: DiagnosticDetails = FIX, message = 'm', width?: number): string {
  const { finding, source } = marked('a.yaml', text, 'LNT1003', message, details);
  return renderPretty(findings(finding), createLineSource(source), {
    color: false,
    ...(width !== undefined && { width }),
  });
}

/** Only the source frame, without headline, arrow, first bar and fix. */
function frame(text: string, width?: number): string[] {
  return pretty(text, FIX, 'm', width).split('\n').slice(3, -2);
}

test('the text report of lintel check is empty without findings', () => {
  expect(renderPretty(findings(), createLineSource(), { color: false })).toBe('');
});

test('the text report of lintel check shows a finding with headline, place, source frame, fix and help', () => {
  const text = 'spec:\n  «grupRef»: eng\n';
  expect(pretty(text, { fix: 'did you mean groupRef?', help: 'See the reference' }, 'unknown field "grupRef"')).toBe(
    `error[LNT1003] unknown-field: unknown field "grupRef"
 --> a.yaml:2:3
  |
2 |   grupRef: eng
  |   ^^^^^^^
  = fix: did you mean groupRef?
  = help: See the reference
`,
  );
});

test('the text report of lintel check shows related places in source frames of their own, and a place in a file without text as a path', () => {
  const one = marked('a.yaml', 'a: 1\nb: 2\n«a»: 3\n', 'LNT1002', 'the key "a" stands twice', {
    related: [
      {
        message: 'the key is here first',
        file: 'a.yaml',
        range: marked('a.yaml', '«a»: 1\n', 'LNT1002', '').finding.range,
      },
    ],
  });
  const text = `${'\n'.repeat(99)}kind: «MCPGrup»\n`;
  const two = marked('b.yaml', text, 'LNT1007', 'no such kind', { severity: 'warning', fix: 'kind: MCPGroup' });
  const three = at('gone.yaml', 0, 'LNT1018', 'cannot be read: permission denied');
  const output = renderPretty(findings(three, two.finding, one.finding), createLineSource(one.source, two.source), {
    color: false,
  });
  expect(output).toBe(`warning[LNT1007] unknown-kind: no such kind
   --> b.yaml:100:7
    |
100 | kind: MCPGrup
    |       ^^^^^^^
    = fix: kind: MCPGroup

error[LNT1002] duplicate-key: the key "a" stands twice
 --> a.yaml:3:1
  |
3 | a: 3
  | ^
note: the key is here first
 --> a.yaml:1:1
  |
1 | a: 1
  | ^
  = help: Remove one of the two

error[LNT1018] unreadable-input: cannot be read: permission denied
 --> gone.yaml:1:1
  = help: Make it readable, or save it as UTF-8
`);
});

test('the text report of lintel check shows errors last, and findings of a severity in the order of files', () => {
  const hint = { severity: 'hint' } as const;
  const found = [
    at('a.yaml', 0, 'LNT1003', 'one'),
    at('a.yaml', 1, 'LNT6012', 'two'),
    { ...at('a.yaml', 2, 'LNT1007', 'three'), severity: 'warning' } as const,
    at('b.yaml', 0, 'LNT1010', 'four'),
    at('b.yaml', 1, 'LNT6012', 'five'),
    // A code may have several severities: an error is shown, however many hints of its code come before it.
    ...Array.from({ length: 20 }, (_, column) => ({ ...at('c.yaml', column, 'LNT1018', 'six'), ...hint })),
    at('c.yaml', 20, 'LNT1018', 'seven'),
  ];
  const output = renderPretty(findings(...found), createLineSource(), { color: false });
  expect(output.match(/(?<=: )\w+$/gm)).toEqual([
    ...['two', 'five', ...Array<string>(19).fill('six')],
    ...['three', 'one', 'four', 'seven'],
  ]);
});

test.each<[name: string, text: string, rows: string[]]>([
  ['one caret for an empty range', 'ab«»c', ['1 | abc', '  |   ^']],
  ['a caret at the end of a line', 'a:«»\nb', ['1 | a:', '  |   ^']],
  ['a caret in an empty line', 'a\n«»\nb', ['2 |', '  | ^']],
  ['a caret past the last line', 'a\n«»', ['2 |', '  | ^']],
  ['expanded tabs', '\ta\t«b\tc»', ['1 |     a   b   c', '  |         ^^^^^']],
  ['wide characters in two columns', '"日本": «é🎉» x', ['1 | "日本": é🎉 x', '  |         ^^^']],
  ['combining marks in no column', 'e\u0301: «x»', ['1 | e\u0301: x', '  |    ^']],
  ['lines that end in CRLF', 'a: 1\r\nb: «2»\r\n', ['2 | b: 2', '  |    ^']],
  ['a range that includes its line break', 'a: «|\n»b', ['1 | a: |', '  |    ^']],
  ['a range over two lines', 'a: «[1,\n  2]»\n', ['1 | a: [1,', '  |    ^^^', '2 |   2]', '  |   ^^']],
  [
    'a range over four lines',
    'a: «[1,\n  2,\n  3\n  ]»\n',
    ['1 | a: [1,', '  |    ^^^', '  | ...', '4 |   ]', '  |   ^'],
  ],
  ['a range that ends where a line starts', '«a: |\n  x\n»b: 1\n', ['1 | a: |', '  | ^^^^', '2 |   x', '  |   ^']],
  [
    'replacements for control and reordering characters',
    '\u001b[31m\u202e«x»\u0007',
    ['1 | \uFFFD[31m\uFFFDx\uFFFD', '  |       ^'],
  ],
])('the source frame of a finding shows %s', (_, text, rows) => {
  expect(frame(text)).toEqual(rows);
});

test.each<[name: string, text: string, rows: string[]]>([
  ['on the left', `a: «b» ${'x'.repeat(60)}`, ['1 | a: b xxxxxxxxxxxxxxxxxxxxxxxxxxxx...', '  |    ^']],
  [
    'in the middle',
    `${'0123456789'.repeat(6)}«X»${'0123456789'.repeat(3)}`,
    ['1 | ...890123456789X01234567890123456...', '  |                ^'],
  ],
  [
    'on the right',
    `${'0123456789'.repeat(6)}«X»`,
    ['1 | ...89012345678901234567890123456789X', '  |                                    ^'],
  ],
  [
    'of a range longer than the line',
    `a: «${'x'.repeat(90)}»`,
    ['1 | a: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', '  |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^'],
  ],
])('the source frame of a finding cuts a wide line around carets %s', (_, text, rows) => {
  const shown = frame(text, 40);
  expect(shown).toEqual(rows);
  for (const row of shown) expect(row.length).toBeLessThanOrEqual(40);
});

test('the source frame of a finding in a line of 8 MB takes under 3 seconds', () => {
  let rows: readonly string[] = [];
  const cpuMs = measureCpuMs(() => {
    rows = frame(`${'x'.repeat(4_000_000)}«${'y'.repeat(4_000_000)}»`);
  });
  expect(cpuMs).toBeLessThan(3_000);
  expect(rows[0]).toMatch(/^1 \| \.\.\.x{30}y+\.\.\.$/);
  expect(rows[0]).toHaveLength(120);
});

test('the text report of lintel check escapes control and reordering characters in messages, fixes and help', () => {
  const output = pretty('«a»', { fix: 'c\u009b', help: 'd\u202e' }, 'a\u001b[2J\nb');
  expect(output).toContain('unknown-field: a\\u001b[2J\\u000ab\n');
  expect(output).toContain('= fix: c\\u009b\n');
  expect(output).toContain('= help: d\\u202e\n');
});

test('the text report of lintel check has colors on a terminal', () => {
  const { finding, source } = marked('a.yaml', '«a»', 'LNT1003', 'm', FIX);
  const output = renderPretty(findings(finding), createLineSource(source), { color: true });
  expect(output.split('\n').map(line => line.replaceAll('\u001b', '␛'))).toEqual([
    '␛[1m␛[31merror[LNT1003] unknown-field␛[39m: m␛[22m',
    ' ␛[34m-->␛[39m a.yaml:1:1',
    '  ␛[34m|␛[39m',
    '␛[34m1␛[39m ␛[34m|␛[39m a',
    '  ␛[34m|␛[39m ␛[31m^␛[39m',
    '  ␛[34m=␛[39m fix: f',
    '',
  ]);
});

test('the text report of lintel check shows the first 20 findings of each code and counts the others, or all findings with --all', () => {
  const report = new Report();
  report.addAll(Array.from({ length: 332 }, (_, offset) => at('a.yaml', offset)));
  report.addAll(Array.from({ length: 20 }, (_, offset) => at('b.yaml', offset, 'LNT1008')));
  report.addAll(Array.from({ length: 21 }, (_, offset) => at('c.yaml', offset, 'LNT2001')));
  const some = renderPretty(report.findings(), createLineSource(), { color: false });
  const shown = (text: string, code: string) => text.split('\n').filter(line => line.includes(`[${code}]`)).length;
  expect(['LNT1003', 'LNT1008', 'LNT2001'].map(code => shown(some, code))).toEqual([20, 20, 20]);
  expect(some).toMatch(
    /\n\n… and 312 more of LNT1003 unknown-field; `lintel check --all` shows them\n\n… and 1 more of LNT2001 .*\n$/,
  );
  const all = renderPretty(report.findings(), createLineSource(), { color: false, all: true });
  expect(['LNT1003', 'LNT1008', 'LNT2001'].map(code => shown(all, code))).toEqual([332, 20, 21]);
  expect(all).not.toContain('…');
});

test('the text report of lintel check counts the findings that are left out of a file', () => {
  const report = new Report();
  report.addAll(Array.from({ length: MAX_FINDINGS_PER_FILE + 3 }, (_, offset) => at('a.yaml', offset)));
  expect(renderPretty(report.findings(), createLineSource(), { color: false })).toMatch(
    /\n\na\.yaml: 3 more findings are not shown\n$/,
  );
});

test('the text report of lintel check wraps fixes and help at spaces on a narrow terminal, and leaves them on one line elsewhere', () => {
  const advice = 'keep the value in a Secret, name it under secrets, and write $(NAME) with its targetEnvName here';
  const lines = (width?: number) =>
    pretty('a: «b»\n', { fix: advice, help: 'Look it up' }, 'm', width)
      .split('\n')
      .filter(line => /^ {2}(?:=| )/.test(line) && !line.includes('|'));
  expect(lines()).toEqual([`  = fix: ${advice}`, '  = help: Look it up']);
  expect(lines(60)).toEqual([
    '  = fix: keep the value in a Secret, name it under secrets,',
    '         and write $(NAME) with its targetEnvName here',
    '  = help: Look it up',
  ]);
});
