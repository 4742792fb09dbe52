import { expect, test } from 'vitest';
import { parseTemplate } from '../../compiler/analysis/templates/index.ts';

/** The errors as `what they point at: message; fix`. */
function errorsOf(text: string): string[] {
  const parsed = parseTemplate(text);
  const errors = 'errors' in parsed ? parsed.errors : [];
  return errors.map(
    ({ offset, length, message, fix }) => `${offset} ${text.slice(offset, offset + length)}: ${message}; ${fix}`,
  );
}

const cases: readonly [name: string, text: string, error: string][] = [
  ['unknown function', 'a {{ jsno 1 }}', '5 jsno: there is no function "jsno"; did you mean json?'],
  [
    'function of another library',
    '{{ upper .params.name }}',
    '3 upper: there is no function "upper"; a field starts with a dot and text stands in quotes; other functions than those of Go, json, quote and fromJson do not exist',
  ],
  ['open action', 'x {{ .a', '2 {{ .a: this action is never closed; end it with }}'],
  ['open if', '{{if .a}}x', '2 if: this {{if}} has no {{end}}; add {{end}} where it ends'],
  [
    'open range with else',
    '{{range .a}}x{{else}}y',
    '22 : the text ends within the {{else}} of a range; add the missing {{end}}',
  ],
  [
    'end of nothing',
    'a{{end}}',
    '3 end: {{end}} belongs to no if, range or with; remove it, or add the action that it should belong to',
  ],
  [
    'second else',
    '{{if 1}}{{else}}{{else}}{{end}}',
    '18 else: this {{else}} comes after the last one; remove it; a condition goes before it',
  ],
  [
    'hyphen in a field',
    '{{.steps.my-step.output}}',
    '11 -: "-" cannot follow the name ".my"; read such a key with index, as in (index . "my-key")',
  ],
  ['undeclared variable', '{{$x}}', '2 $x: there is no variable $x here; declare it before, as in {{$x := …}}'],
  [
    'define',
    '{{define "a"}}x{{end}}',
    '2 define: {{define}} is not supported: a workflow template is one piece; write its content where it is used',
  ],
  [
    'template',
    '{{ template "a" }}',
    '3 template: {{template}} is not supported: a workflow template is one piece; write its content where it is used',
  ],
  [
    'block',
    '{{block "a" .}}x{{end}}',
    '2 block: {{block}} is not supported: a workflow template is one piece; write its content where it is used',
  ],
  ['a complex number', '{{ 1+2i }}', '3 1+2i: complex numbers are not supported; write a real number'],
  ['an invalid number', '{{ 12ab }}', '3 12ab: "12ab" is not a number; correct it, or put it in quotes if it is text'],
  ['open quote', '{{ "a }}\n', '3 "a }}: this " is never closed; add the closing quote on the same line, or use `…`'],
  ['open parenthesis', '{{ (1 }}', '0 {{ (1 : a parenthesis is never closed; add the missing )'],
  [
    'literal after a pipe',
    '{{ 1 | 2 }}',
    '7 2: what follows a | must be a function; write a function, or remove the |',
  ],
  ['break outside', '{{break}}', '2 break: {{break}} stands outside of every range; remove it'],
  ['a missing value', '{{if }}x{{end}}', '5 : a value is missing in the {{if}}; write one, such as .params.name'],
  [
    'too deep',
    `{{${'('.repeat(101)}1${')'.repeat(101)}}}`,
    '102 (: actions and parentheses are nested more than 100 levels deep; take them apart with variables',
  ],
];

test.each(cases)('a syntax error of a workflow template has its place and advice: %s', (_, text, error) =>
  expect(errorsOf(text)).toEqual([error]),
);

test('a workflow template may have at most 100,000 characters', () => {
  expect(errorsOf('x'.repeat(100_000))).toEqual([]);
  const parsed = parseTemplate('x'.repeat(100_001));
  expect('errors' in parsed && parsed.errors[0]?.message).toBe('the template is longer than 100000 characters');
});
