import { expect, test } from 'vitest';
import { listPrintedPaths, parseTemplate } from '../../compiler/analysis/templates/index.ts';

const cases: readonly [name: string, text: string, paths: string[]][] = [
  ['none', 'text {{ "a" }} {{ json .params }}', []],
  [
    'fields alone',
    'a {{ .params.b }} {{- .steps.c.output -}} {{ $.params.d }}',
    ['params.b', 'steps.c.output', 'params.d'],
  ],
  ['what a function makes of them', '{{ .params.a | quote }} {{ or .params.b "" }} {{ index .params "c" }}', []],
  ['variables', '{{ $x := .params.a }}{{ $x }}', []],
  [
    'branches that ask for another',
    '{{ if .params.a }}{{ .params.b }}{{ else }}{{ .params.c }}{{ end }}',
    ['params.b', 'params.c'],
  ],
  [
    'branches that ask for it',
    '{{ if .params.a }}{{ .params.a }}{{ end }}{{ with .params.b }}{{ . }}{{ $.params.b }}{{ end }}',
    [],
  ],
  [
    'by a function, or in an else',
    '{{ if not (eq .params.a 1) }}{{ else if .params.b }}{{ .params.a }}{{ .params.b }}{{ end }}',
    [],
  ],
  ['what is above', '{{ if .params }}{{ .params.a }}{{ end }}', []],
  [
    'the dot of a range',
    '{{ range .params.a }}{{ .b }}{{ $.params.c }}{{ else }}{{ .params.d }}{{ end }}',
    ['params.c', 'params.d'],
  ],
];

test.each(cases)('%s', (_, text, paths) => {
  const parsed = parseTemplate(text);
  if (!('tree' in parsed)) throw new Error(text);
  expect(listPrintedPaths(parsed.tree).map(({ path }) => path.join('.'))).toEqual(paths);
});
