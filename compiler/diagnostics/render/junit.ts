import type { Diagnostic } from '../diagnostic.ts';
import type { Severity } from '../severity.ts';
import { escapeUnprintable } from './printable.ts';
import { formatAdvice, formatNotShown, formatProvenance, type Rendering } from './rendering.ts';
import { lockNote } from './summary.ts';
import { belongsToTest, type TestResults } from './test-results.ts';

const SEVERITY_RANK: { readonly [S in Severity]: number } = { hint: 0, warning: 1, error: 2 };

/**
 * One test suite per file, one test case per finding. A finding that fails the command fails its case; a finding below `--fail-on` passes and
 * appears in the output of its case. A file without findings is one passing case. No durations: the same findings give the same bytes.
 *
 * @see https://github.com/testmoapp/junitxml
 */
export function renderJunit({ findings, checked, files, failOn, tests }: Rendering): string {
  if (tests !== undefined) return renderTests(findings.diagnostics, tests);
  const fails = ({ severity }: Diagnostic) => SEVERITY_RANK[severity] >= SEVERITY_RANK[failOn] || severity === 'error';
  const byFile = new Map<string, readonly Diagnostic[]>([
    ...files.map(file => [file, []] as const),
    ...Map.groupBy(findings.diagnostics, ({ file }) => file),
  ]);
  const remaining = new Map(findings.omitted.map(({ file, count }) => [file, count]));
  const suites = [...byFile].flatMap(([file, list]) => [
    `  <testsuite${formatAttributes({ name: file, ...countFindings(list, fails) })}>`,
    ...(list.length === 0
      ? [`    <testcase${formatAttributes({ name: 'no findings', classname: file })}/>`]
      : list.flatMap(found => testCase(found, fails(found)))),
    ...(remaining.has(file)
      ? [`    <system-out>${escapeXml(formatNotShown(remaining.get(file) ?? 0))}</system-out>`]
      : []),
    '  </testsuite>',
  ]);
  const totals = [...byFile.values()].map(list => countFindings(list, fails));
  const note = lockNote(findings, checked, true);
  const notes = note === undefined ? [] : [`  <!-- ${escapeXml(note).replaceAll('--', '- -')} -->`];
  const sum = (name: 'tests' | 'failures') => totals.reduce((total, counts) => total + counts[name], 0);
  const root = formatAttributes({ name: 'lintel', tests: sum('tests'), failures: sum('failures'), errors: 0 });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${root}>`,
    ...suites,
    ...notes,
    '</testsuites>',
    '',
  ].join('\n');
}

/** One test suite per test file and one test case per test; findings that belong to no test are cases of their own. */
function renderTests(found: readonly Diagnostic[], { tests }: TestResults): string {
  const others = found.filter(diagnostic => !tests.some(test => belongsToTest(test, diagnostic)));
  const suites = [...Map.groupBy(tests, ({ file }) => file)].map(([file, list]) => {
    const failures = list.filter(({ status }) => status === 'failed').length;
    const skipped = list.filter(({ status }) => status === 'not-run').length;
    return {
      counts: { tests: list.length, failures, errors: 0, skipped },
      name: file,
      cases: list.flatMap(test =>
        renderCase(
          test,
          found.filter(diagnostic => belongsToTest(test, diagnostic)),
        ),
      ),
    };
  });
  const rest = [...Map.groupBy(others, ({ file }) => file)].map(([file, list]) => ({
    counts: { ...countFindings(list, () => true), skipped: 0 },
    name: suites.some(({ name }) => name === file) ? `${file} (findings)` : file,
    cases: list.flatMap(diagnostic => testCase(diagnostic, true)),
  }));
  const all = [...suites, ...rest];
  const sum = (name: 'tests' | 'failures' | 'skipped') => all.reduce((total, { counts }) => total + counts[name], 0);
  const totals = { tests: sum('tests'), failures: sum('failures'), errors: 0, skipped: sum('skipped') };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${formatAttributes({ name: 'lintel test', ...totals })}>`,
    ...all.flatMap(({ name, counts, cases }) => [
      `  <testsuite${formatAttributes({ name, ...counts })}>`,
      ...cases,
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function renderCase(
  { file, name, status }: TestResults['tests'][number],
  found: readonly Diagnostic[],
): readonly string[] {
  const start = `    <testcase${formatAttributes({ name, classname: file })}`;
  if (status === 'passed') return [`${start}/>`];
  const [first] = found;
  const text = found.map(formatFinding).join('\n');
  const body =
    status === 'not-run' && first === undefined
      ? '<skipped/>'
      : `<failure${formatAttributes({ message: first?.message ?? '', type: first?.name ?? '' })}>${escapeXml(text)}</failure>`;
  return [`${start}>`, `      ${body}`, '    </testcase>'];
}

function countFindings(list: readonly Diagnostic[], fails: (found: Diagnostic) => boolean) {
  return { tests: Math.max(1, list.length), failures: list.filter(fails).length, errors: 0 };
}

function testCase(found: Diagnostic, isFailure: boolean): readonly string[] {
  const { code, name, severity, file, message } = found;
  const { line, column } = found.range.start;
  const text = formatFinding(found);
  const body = isFailure
    ? `<failure${formatAttributes({ message, type: `${severity} ${name}` })}>${escapeXml(text)}</failure>`
    : `<system-out>${escapeXml(text)}</system-out>`;
  return [
    `    <testcase${formatAttributes({ name: `${code}_${line}_${column}`, classname: file })}>`,
    `      ${body}`,
    '    </testcase>',
  ];
}

function formatFinding(found: Diagnostic): string {
  const { code, name, severity, file, message } = found;
  const { line, column } = found.range.start;
  const advice = formatAdvice(found);
  return [
    `${escapeUnprintable(file)}:${line}:${column}: ${severity}[${code}] ${name}: ${escapeUnprintable(message)}`,
    ...(advice === undefined ? [] : [escapeUnprintable(advice)]),
    ...formatProvenance(found).map(escapeUnprintable),
  ].join('\n');
}

function formatAttributes(values: { readonly [name: string]: string | number }): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(escapeUnprintable(String(value)))}"`)
    .join('');
}

/** Characters that XML 1.0 does not allow, not even as character references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must go
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Cs}]/gu;

const ENTITIES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** @see https://www.w3.org/TR/xml/#charsets */
function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, char => ENTITIES[char] ?? char);
}
