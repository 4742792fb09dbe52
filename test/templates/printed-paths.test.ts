import { expect, test } from 'vitest';
import { listPrintedPaths, parseTemplate } from '../../compiler/analysis/templates/index.ts';

const cases: readonly [name: string, text: string, paths: string[]][] = [
  ['a text without values', 'text {{ "a" }} {{ json .params }}', []],
  [
    'plain fields',
    'a {{ .params.b }} {{- .steps.c.output -}} {{ $.params.d }}',
    ['params.b', 'steps.c.output', 'params.d'],
  ],
  ['not the arguments of a function', '{{ .params.a | quote }} {{ or .params.b "" }} {{ index .params "c" }}', []],
  ['not variables', '{{ $x := .params.a }}{{ $x }}', []],
  [
    'branches with another condition',
    '{{ if .params.a }}{{ .params.b }}{{ else }}{{ .params.c }}{{ end }}',
    ['params.b', 'params.c'],
  ],
  [
    'not in a branch that tests the value',
    '{{ if .params.a }}{{ .params.a }}{{ end }}{{ with .params.b }}{{ . }}{{ $.params.b }}{{ end }}',
    [],
  ],
  [
    'not in a branch that tests the value by a function or in an else',
    '{{ if not (eq .params.a 1) }}{{ else if .params.b }}{{ .params.a }}{{ .params.b }}{{ end }}',
    [],
  ],
  ['not in a branch that tests the parent of the value', '{{ if .params }}{{ .params.a }}{{ end }}', []],
  [
    'the dot of a range',
    '{{ range .params.a }}{{ .b }}{{ $.params.c }}{{ else }}{{ .params.d }}{{ end }}',
    ['params.c', 'params.d'],
  ],
];

test.each(cases)('the compiler lists the values that a workflow template prints: %s', (_, text, paths) => {
  const parsed = parseTemplate(text);
  if (!('tree' in parsed)) throw new Error(text);
  expect(listPrintedPaths(parsed.tree).map(({ path }) => path.join('.'))).toEqual(paths);
});
