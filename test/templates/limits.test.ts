import { expect, test } from 'vitest';
import type { TemplatePipe, TemplateTree } from '#schemas';
import { parseTemplate } from '../../compiler/analysis/templates/index.ts';
import { evaluateTemplate, TemplateError } from '../../runtime/gateway/workflow/template/index.ts';
import { measureCpuMs } from '../support/cpu-time.ts';

const STEPS = 'the template takes more than 1000000 steps';
const SIZE = 'the text is larger than 10485760 bytes';

const cases: readonly [name: string, text: string, message: string][] = [
  ['an endless range', '{{range 9223372036854775807}}{{end}}', STEPS],
  ['ranges in ranges', '{{range 10000}}{{range 10000}}{{end}}{{end}}', STEPS],
  ['too much output', '{{range 100000}}{{printf "%1000d" 1}}{{end}}', SIZE],
  ['text that doubles', '{{$x := "a"}}{{range 60}}{{$x = print $x $x}}{{end}}', SIZE],
  ['large widths in printf', '{{printf "%999999d%999999d%999999d" 1 2 3 | printf "%[1]s%[1]s%[1]s%[1]s"}}', SIZE],
  ['a large text many times', '{{$x := printf "%1000000d" 1}}{{range 100000}}{{html $x | len}}{{end}}', STEPS],
  ['comparisons of large texts', '{{$x := printf "%1000000d" 1}}{{range 500000}}{{eq $x $x}}{{end}}', STEPS],
  ['a large map many times', '{{range 100000}}{{range $.wide}}{{break}}{{end}}{{end}}', STEPS],
  ['truth of large maps', '{{range 20000}}{{if $.wide}}{{end}}{{end}}', STEPS],
  ['escapes of escapes', '{{$x := "`"}}{{range 60}}{{$x = print $x "\\"" | quote}}{{end}}', SIZE],
  [
    'brackets that never close',
    '{{$x := "%["}}{{range 19}}{{$x = print $x $x}}{{end}}{{range 9}}{{printf $x}}{{end}}',
    STEPS,
  ],
  [
    'cut characters',
    '{{$x := "é"}}{{range 22}}{{$x = print $x $x}}{{end}}{{range 99}}{{slice $x 1 | len}}{{end}}',
    STEPS,
  ],
  ['a deep value that is printed', '{{.deep}}', 'the value is nested more than 1000 levels deep'],
  ['a deep value as JSON', '{{json .deep}}', 'the value is nested more than 1000 levels deep'],
];

let deep: unknown = 1;
for (let level = 0; level < 50_000; level += 1) deep = [deep];
const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [`k${key}`, key]));

test.each(cases)('a workflow template stops at its limits: %s', (_, text, message) => {
  const tree = treeOf(text);
  let problem: TemplateError | undefined;
  const cpuMs = measureCpuMs(() => {
    problem = problemOf(tree);
  });
  expect(problem).toMatchObject({ code: 'ERR_TEMPLATE_LIMIT', message });
  expect(cpuMs).toBeLessThan(20_000);
});

test('a workflow template can write ten megabytes', () => {
  const million = '{{$x := printf "%1000000s" ""}}{{range 10}}{{$x}}{{end}}';
  const rest = 10 * 1024 * 1024 - 10_000_000;
  expect(problemOf(treeOf(`${million}{{printf "%${rest}s" ""}}`))).toBeUndefined();
  expect(problemOf(treeOf(`${million}{{printf "%${rest}s" ""}}x`))?.message).toBe(SIZE);
});

test('a template tree that does not come from the parser is refused if it is too deep', () => {
  const at = [0, 1] as const;
  const leaf: TemplatePipe = { kind: 'pipe', at, variables: [], assigns: false, commands: [] };
  let pipe = leaf;
  let nodes: TemplateTree['nodes'] = [];
  for (let level = 0; level < 20_000; level += 1) {
    pipe = { ...leaf, commands: [{ at, operands: [pipe] }] };
    nodes = [
      {
        kind: 'with',
        pipe: { ...leaf, commands: [{ at, operands: [{ kind: 'dot', at }] }] },
        body: nodes,
        otherwise: [],
      },
    ];
  }
  const tooDeep = { code: 'ERR_TEMPLATE_LIMIT', message: 'the template is nested too deep' };
  expect(problemOf({ nodes: [{ kind: 'action', pipe }] })).toMatchObject(tooDeep);
  expect(problemOf({ nodes })).toMatchObject(tooDeep);
});

test('the error of a template that exceeds a limit has the place of the failing expression in the workflow template', () => {
  const text = 'é {{ .wide | len }} {{ print (index .wide 1) }}';
  const { offset = 0, length = 0 } = problemOf(treeOf(text)) ?? {};
  expect(text.slice(offset, offset + length)).toBe('index .wide 1');
});

function treeOf(text: string): TemplateTree {
  const parsed = parseTemplate(text);
  if ('errors' in parsed) throw new Error(parsed.errors[0]?.message);
  return parsed.tree;
}

function problemOf(tree: TemplateTree): TemplateError | undefined {
  try {
    evaluateTemplate(tree, { deep, wide });
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}
