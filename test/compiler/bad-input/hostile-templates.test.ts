/** Templates of composite tools that are deeply nested, long or broken. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listReferencedPaths, parseTemplate } from '../../../compiler/analysis/templates/index.ts';
import { object } from '../../support/rule.ts';
import { runs } from '../../support/runs.ts';
import { compileText, expectSound, inTime } from './compiling.ts';

const SEED = 20261120;

const nested = (open: string, close: string, levels = 1000): string => open.repeat(levels) + close.repeat(levels);

const refused: readonly [name: string, text: string, message: RegExp][] = [
  ['1,000 nested ifs', nested('{{if .a}}', '{{end}}'), /nested|deep/],
  ['1,000 nested ifs that are never closed', '{{if .a}}'.repeat(1000), /nested|deep/],
  ['1,000 nested ranges', nested('{{range $i, $v := .a}}', '{{end}}'), /nested|deep/],
  ['1,000 else ifs', `{{if .a}}${'{{else if .a}}'.repeat(1000)}{{end}}`, /nested|deep/],
  ['1,000 nested parentheses', `{{${nested('(', ')')}}}`, /nested|deep/],
  ['10,000 open parentheses', `{{${'('.repeat(10_000)}}}`, /./],
  ['more than 100 KB of text', 'x'.repeat(100_001), /longer than/],
  ['100 KB of open actions', '{{'.repeat(50_000), /./],
  ['100 KB of an open quote', `{{"${'x'.repeat(99_000)}`, /./],
  ['100 KB of an open comment', `{{/*${'*'.repeat(99_000)}`, /./],
];

const taken: readonly [name: string, text: string][] = [
  ['100 KB of text', 'x'.repeat(100_000)],
  ['100 KB of braces', '{ '.repeat(50_000)],
  ['100 KB of actions', '{{.a}}'.repeat(16_000)],
  ['100 KB of one path', `{{${'.a'.repeat(49_000)}}}`],
  ['100 KB of one pipe', `{{.a${'|json'.repeat(19_000)}}}`],
  ['100 KB of arguments', `{{and${' .a'.repeat(33_000)}}}`],
  ['100 KB of spaces to trim', `${' '.repeat(49_000)}{{- .a -}}${' '.repeat(49_000)}`],
  ['100 KB of a string', `{{"${'\\n'.repeat(49_000)}"}}`],
];

/** A workflow with the same text in each template field. */
function workflow(text: string): string {
  const quoted = JSON.stringify(text.toWellFormed());
  const steps = `[{ id: a, tool: x.y, condition: ${quoted}, arguments: { a: ${quoted}, b: [{ c: ${quoted} }] } }]`;
  const output = `{ properties: { r: { type: string, value: ${quoted} } } }`;
  return object(
    'VirtualMCPCompositeToolDefinition',
    `{ name: it, description: it, steps: ${steps}, output: ${output} }`,
  );
}

test.each(refused)('the compiler refuses a workflow template of %s', (_, text, message) => {
  const parsed = inTime(() => parseTemplate(text));
  const [error, ...others] = 'errors' in parsed ? parsed.errors : [];
  expect(error?.message).toMatch(message);
  expect(others).toEqual([]);
  expectSound(inTime(() => compileText(workflow(text))));
});

test.each(taken)('the compiler parses a workflow template of %s', (_, text) => {
  const parsed = inTime(() => parseTemplate(text));
  if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
  inTime(() => listReferencedPaths(parsed.tree));
  expectSound(inTime(() => compileText(workflow(text))));
});

const PIECES = [
  '{{',
  '}}',
  '{{-',
  '-}}',
  'if',
  'else',
  'end',
  'range',
  'with',
  'define',
  '$x',
  ':=',
  '=',
  ',',
  '|',
  '(',
  ')',
];
const MORE_PIECES = [
  '.',
  '.a',
  '$',
  '"',
  '`',
  "'",
  '\\',
  '0x',
  '1e9',
  '1_0',
  'nil',
  'true',
  'json',
  'printf',
  '/*',
  '*/',
  ' ',
  '\n',
  '\u0000',
  '\ud800',
  '😀',
];

test('the compiler parses a random workflow template, or reports errors whose offsets are within the template', () => {
  const text = fc.array(fc.constantFrom(...PIECES, ...MORE_PIECES), { maxLength: 25 }).map(parts => parts.join(''));
  const property = fc.property(text, template => {
    const parsed = parseTemplate(template);
    if ('tree' in parsed) listReferencedPaths(parsed.tree);
    else
      for (const { offset, length } of parsed.errors) {
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(length).toBeGreaterThanOrEqual(0);
        expect(offset + length).toBeLessThanOrEqual(template.length);
      }
    expect(parseTemplate(template)).toEqual(parsed);
  });
  fc.assert(property, { seed: SEED, numRuns: runs(3000) });
});
