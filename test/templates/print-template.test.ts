/** A parsed template is printed as text with the same meaning, so what is shown of a workflow is what runs. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseTemplate, printTemplate } from '../../compiler/analysis/templates/index.ts';
import { evaluateTemplate, TemplateError } from '../../runtime/gateway/workflow/template/index.ts';

const { data, cases } = JSON.parse(readFileSync(new URL('./cases.json', import.meta.url), 'utf8')) as {
  readonly data: { readonly [name: string]: unknown };
  readonly cases: readonly { readonly template: string; readonly data: string }[];
};

function treeOf(text: string) {
  const parsed = parseTemplate(text);
  if ('errors' in parsed) throw new Error(`does not parse: ${text}`);
  return parsed.tree;
}

test.each([
  ['{{ .params.app }}', '{{.params.app}}'],
  ['a {{- .b -}} c', 'a{{.b}}c'],
  ['{{ if eq .a "x" }}yes{{ else if .b }}no{{ end }}', '{{if eq .a "x"}}yes{{else}}{{if .b}}no{{end}}{{end}}'],
  [
    '{{ range $i, $e := .list }}{{ $e.name }}{{ break }}{{ end }}',
    '{{range $i, $e := .list}}{{$e.name}}{{break}}{{end}}',
  ],
  ['{{ $x := 1 }}{{ $x = .a | printf "%v" }}', '{{$x := 1}}{{$x = .a | printf "%v"}}'],
  ['{{ (index .a `b"c`).d }}', '{{(index .a "b\\"c").d}}'],
  ["{{ print 'a' 1.0 -0.0 0x10 nil true . }}", '{{print 97 1.0 -0.0 16 nil true .}}'],
  ['a{{/* nothing */}}b', 'ab'],
])('printTemplate writes the parsed workflow template %s as a text again', (template, text) => {
  expect(printTemplate(treeOf(template))).toBe(text);
});

test('printTemplate returns undefined for a template tree that no template text can produce', () => {
  expect(printTemplate(treeOf('{ {{- /* the second brace follows */ -}} { .a }}'))).toBeUndefined();
  for (const tree of [
    null,
    'text',
    {},
    { nodes: [{}] },
    { nodes: [{ kind: 'text', text: '{{' }] },
    { nodes: [], more: 1 },
  ])
    expect(printTemplate(tree)).toBeUndefined();
});

test('a printed template gives the same output as the original for all recorded cases of Go', () => {
  let printed = 0;
  for (const { template, data: name } of cases) {
    const parsed = parseTemplate(template);
    if ('errors' in parsed) continue;
    const text = printTemplate(parsed.tree);
    if (text === undefined) continue;
    printed += 1;
    expect([template, outcome(text, data[name])]).toEqual([template, outcome(template, data[name])]);
  }
  expect(printed).toBeGreaterThan(cases.length / 2);
});

function outcome(text: string, scope: unknown): string {
  try {
    return evaluateTemplate(treeOf(text), scope);
  } catch (error) {
    if (error instanceof TemplateError) return error.code;
    throw error;
  }
}
