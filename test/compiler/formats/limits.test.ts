import { expect, test } from 'vitest';
import { renderCompact } from '../../../compiler/diagnostics/render/compact.ts';
import { renderGithub } from '../../../compiler/diagnostics/render/github.ts';
import { renderGitlab } from '../../../compiler/diagnostics/render/gitlab.ts';
import { renderJunit } from '../../../compiler/diagnostics/render/junit.ts';
import { renderMarkdown } from '../../../compiler/diagnostics/render/markdown.ts';
import { renderSarif } from '../../../compiler/diagnostics/render/sarif.ts';
import { createRange, createRendering, finding, times } from './rendering.ts';

const errors = (count: number) =>
  times(count, at => finding('LNT1003', `error ${at}`, { range: createRange(at + 1, 1) }));
const warnings = (count: number) =>
  times(count, at => finding('LNT1008', `warning ${at}`, { range: createRange(at + 1, 1) }));
const hints = (count: number) =>
  times(count, at => finding('LNT1009', `hint ${at}`, { severity: 'hint', range: createRange(at + 1, 1) }));

/** Rows of: the numbers of errors, warnings and hints; how many of them get an annotation; how many do not. */
test.each([
  [[0, 0, 0], [0, 0, 0], 0],
  [[10, 10, 10], [10, 10, 10], 0],
  [[11, 0, 0], [10, 0, 0], 1],
  [[10, 12, 3], [10, 10, 3], 2],
  [[15, 15, 15], [10, 10, 9], 16],
  [[0, 0, 11], [0, 0, 9], 2],
  [[12, 0, 10], [10, 0, 9], 3],
])(
  'for %j errors, warnings and hints, the github format prints %j annotations, and one line with the count of all others: %i',
  (there, shown, rest) => {
    const [e = 0, w = 0, h = 0] = there;
    const lines = renderGithub(createRendering([...hints(h), ...warnings(w), ...errors(e)]))
      .split('\n')
      .slice(0, -1);
    const overflow = lines.filter(line => line.includes('title=Lintel'));
    expect(lines.filter(line => !overflow.includes(line)).map(line => line.split(' ')[0])).toEqual([
      ...Array(shown[0]).fill('::error'),
      ...Array(shown[1]).fill('::warning'),
      ...Array(shown[2]).fill('::notice'),
    ]);
    expect(overflow).toHaveLength(rest > 0 ? 1 : 0);
    if (rest > 0) {
      expect(lines.at(-1)).toBe(
        `::notice title=Lintel::${rest} more ${rest === 1 ? 'finding has' : 'findings have'} no annotation: GitHub shows 10 of each level. Another --format lists all of them`,
      );
    }
  },
);

test('every format says how many findings of a file it leaves out beyond the limit of 20,000', () => {
  const rendering = createRendering(errors(20_003));
  expect(renderCompact(rendering)).toMatch(/specs\/gateway\.yaml:1:1: note: 3 more findings are not shown\n$/);
  expect(renderGithub(rendering)).toContain('19993 more findings have no annotation');
  expect(JSON.parse(renderGitlab(rendering)).at(-1)).toMatchObject({
    description: '3 more findings are not shown',
    severity: 'info',
  });
  expect(renderJunit(rendering)).toContain('    <system-out>3 more findings are not shown</system-out>\n');
  expect(renderMarkdown(rendering)).toMatch(/\n3 findings are not listed here\.\n$/);
  const [run] = JSON.parse(renderSarif(rendering)).runs;
  expect(run.properties).toEqual({ notShown: 3 });
  expect(run.invocations).toEqual([
    {
      executionSuccessful: true,
      toolExecutionNotifications: [
        { level: 'note', message: { text: 'specs/gateway.yaml: 3 more findings are not shown' } },
      ],
    },
  ]);
});

test('the sarif format has at most 25,000 results, errors before warnings', () => {
  const many = Array.from({ length: 40 }, (_, file) =>
    warnings(700).map(found => ({ ...found, file: `${file}.yaml` })),
  ).flat();
  const [run] = JSON.parse(renderSarif(createRendering([...many, ...errors(5)]))).runs;
  expect(run.results).toHaveLength(25_000);
  expect(run.results.filter(({ level }: { level: string }) => level === 'error')).toHaveLength(5);
  expect(run.properties).toEqual({ notShown: 3005 });
});

test('the sarif format marks an incomplete check as an unsuccessful invocation', () => {
  const checked = { files: 1, objects: 0, foreign: 0, complete: false };
  const [run] = JSON.parse(renderSarif(createRendering([], { checked }))).runs;
  expect(run.invocations).toEqual([{ executionSuccessful: false }]);
});

test('the markdown format stays within the size of a comment, and counts the findings that it leaves out', () => {
  const many = Array.from({ length: 5 }, (_, file) =>
    errors(200).map(found => ({ ...found, file: `${file}.yaml` })),
  ).flat();
  const text = renderMarkdown(createRendering(many, { all: true }));
  expect(text.length).toBeLessThan(65_536);
  const rows = text.split('\n').filter(line => line.includes('LNT1003')).length;
  expect(rows).toBeGreaterThan(300);
  expect(text).toMatch(new RegExp(`\\n${1000 - rows} findings are not listed here\\.\\n$`));
});

test.each([
  ['error', 1],
  ['warning', 2],
  ['hint', 3],
] as const)(
  'the junit format with --fail-on %s has %i failures for an error, a warning and a hint',
  (failOn, failures) => {
    const xml = renderJunit(createRendering([...errors(1), ...warnings(1), ...hints(1)], { failOn }));
    expect(xml).toContain(`<testsuites name="lintel" tests="4" failures="${failures}" errors="0">`);
    expect(xml.match(/<failure /g)).toHaveLength(failures);
  },
);
