/** A template must not print a parameter that callers may omit without a default. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const PARAMETERS = `{ type: object, properties: { a: { type: string }, b: { default: x }, c: { type: string } }, required: [c] }`;

const workflow = (steps: string, parameters = PARAMETERS, output = '') =>
  object(
    'VirtualMCPCompositeToolDefinition',
    `\n  name: w\n  parameters: ${parameters}\n  steps:\n    - ${steps}${output}`,
  );

const step = (text: string, more = '') => `{ id: s, tool: x.y, arguments: { x: '${text}' }${more} }`;

const OUTPUT = "\n  output: { properties: { o: { type: string, value: '{{ .params.a }}'";

const message = (name: string) =>
  `the template prints parameter "${name}", which callers may leave out and which has no default: the text then has "<no value>" in its place`;

test.each<[string, string[], string[]]>([
  ['a parameter that is required or has a default', [workflow(step('{{ .params.b }}{{ .params.c }}'))], []],
  [
    'an optional parameter without a default',
    [workflow(step('{{ .params.a }}'))],
    [`LNT7035 hint 8:47 ${message('a')}`],
  ],
  ['a parameter inside of or, or of json', [workflow(step('{{ or .params.a "" }}{{ json .params.a }}'))], []],
  ['a parameter in a branch that checks it', [workflow(step('{{ if .params.a }}{{ .params.a }}{{ end }}'))], []],
  [
    'a parameter in a step whose condition checks it',
    [workflow(step('{{ .params.a }}', ", condition: '{{ ne .params.a nil }}'"))],
    [],
  ],
  [
    'a parameter in a condition',
    [workflow(step('', ", condition: '{{ .params.a }}'"))],
    [`LNT7035 hint 8:64 ${message('a')}`],
  ],
  [
    'a parameter in the output, with and without a default',
    [
      workflow(step(''), PARAMETERS, `${OUTPUT}, default: none } } }`),
      workflow(step(''), PARAMETERS, `${OUTPUT} } } }`),
    ],
    [`LNT7035 hint 19:57 ${message('a')}`],
  ],
  [
    'a parameter whose default is null',
    [workflow(step('{{ .params.a }}'), '{ properties: { a: { default: null } } }')],
    [`LNT7035 hint 8:47 ${message('a')}`],
  ],
  [
    'a parameter that another part of the schema may require',
    [workflow(step('{{ .params.a }}'), '{ properties: { a: {} }, anyOf: [{ required: [a] }] }')],
    [],
  ],
  ['an undeclared parameter, which another rule reports', [workflow(step('{{ .params.z }}'))], []],
])('the rule parameterMayBeUnset gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('parameterMayBeUnset', ...objects)).toEqual(expected);
});
