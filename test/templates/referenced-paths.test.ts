import { expect, test } from 'vitest';
import { listReferencedPaths, parseTemplate } from '../../compiler/analysis/templates/index.ts';

const cases: readonly [name: string, text: string, paths: string[]][] = [
  ['a text without values', 'text', []],
  ['fields', '{{.steps.a.output.b}} {{.params.z}}', ['steps.a.output.b', 'params.z']],
  ['arguments', '{{if and (eq .params.a 1) .params.b}}{{end}}', ['params.a', 'params.b']],
  ['pipes and functions', '{{.params.a | printf "%s" .params.b}}', ['params.a', 'params.b']],
  ['both branches', '{{if .params.a}}{{.params.b}}{{else}}{{.params.c}}{{end}}', ['params.a', 'params.b', 'params.c']],
  ['the dot of a range', '{{range .params.a}}{{.id}}{{else}}{{.params.b}}{{end}}', ['params.a', 'params.b']],
  ['the dot of a with', '{{with .params.a}}{{.b}}{{$.params.c}}{{end}}', ['params.a', 'params.c']],
  ['the root', '{{$.steps.a.output}}', ['steps.a.output']],
  ['a variable in place of the root', '{{$ := 1}}{{$.steps.a}}', []],
  ['variables', '{{$x := .params.a}}{{$x.b}}', ['params.a']],
  [
    'parentheses',
    '{{(.steps.a).output}} {{(fromJson .params.b).c}} {{((.)).params.d}}',
    ['steps.a.output', 'params.b', 'params.d'],
  ],
  ['declarations in parentheses', '{{print ($x := .params.a)}}', ['params.a']],
  [
    'index with literal keys',
    '{{index .steps "a" "output"}} {{index $.params `b c`}}',
    ['steps.a.output', 'params.b c'],
  ],
  [
    'index within another expression',
    '{{(index .steps "a").output}} {{index (index .steps "b").output "c"}}',
    ['steps.a.output', 'steps.b.output.c'],
  ],
  [
    'index with computed keys',
    '{{index .steps .params.a "output"}} {{(index .params.b 0).c}}',
    ['steps', 'params.a', 'params.b'],
  ],
  [
    'index of the result of a function',
    '{{index (fromJson .params.a) "b"}} {{"a" | index .steps}}',
    ['params.a', 'steps'],
  ],
  ['else if', '{{if .params.a}}{{else if .params.b}}{{.params.c}}{{end}}', ['params.a', 'params.b', 'params.c']],
];

test.each(cases)('the values that a workflow template reads are found: %s', (_, text, paths) =>
  expect(found(text).map(({ path }) => path.join('.'))).toEqual(paths),
);

test('the values that a workflow template reads have their places in the text', () => {
  const text = '🎉 {{ .params.a }} {{print (.steps.b).output}}';
  expect(found(text).map(({ at: [offset, length] }) => text.slice(offset, offset + length))).toEqual([
    '.params.a',
    '(.steps.b).output',
  ]);
});

function found(text: string): ReturnType<typeof listReferencedPaths> {
  const parsed = parseTemplate(text);
  if ('errors' in parsed) throw new Error(parsed.errors[0]?.message);
  return listReferencedPaths(parsed.tree);
}
