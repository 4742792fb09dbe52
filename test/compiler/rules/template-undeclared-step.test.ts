import { expect, test } from 'vitest';
import { findings, gatewayConfig, judge, object } from '../../support/rule.ts';

const steps = (text: string) => object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps:${text}`);
const parameters = (schema: string, text: string) =>
  steps(`\n    - { id: a, condition: '${text}' }\n  parameters: ${schema}`);

test.each<[string, string[], string[]]>([
  [
    'reads of steps that come first, directly or indirectly',
    [
      steps(`
    - { id: a }
    - { id: b, dependsOn: [a], condition: "{{ .steps.a.status }}" }
    - { id: c, dependsOn: [b], arguments: { x: "{{ .steps.a.output.x }}", y: "{{ .steps.b.output }}" } }
    - { id: d }
  output: { properties: { x: { type: string, value: "{{ .steps.d.output.x }} {{ .steps }} {{ .vars.x }}" } } }`),
    ],
    [],
  ],
  [
    'reads of missing steps',
    [
      steps(`
    - { id: fetch }
    - { id: b, dependsOn: [fetch], arguments: { x: "{{ .steps.fetsh.output.x }}" } }
  output: { properties: { x: { type: object, properties: { y: { type: string, value: "{{ $.steps.nowhere }}" } } } } }`),
    ],
    [
      'LNT7005 error 8:56 the template reads step "fetsh", which is not a step of this workflow',
      'LNT7005 error 9:90 the template reads step "nowhere", which is not a step of this workflow',
    ],
  ],
  [
    'reads of steps that may not have run yet',
    [
      steps(`
    - { id: a, condition: "{{ .steps.b.output }}" }
    - { id: b, dependsOn: [a], condition: "{{ .steps.b.output }}" }
    - { id: c, type: elicitation, message: "{{ .steps.a.output }}" }
    - { id: d, type: forEach, collection: "{{ .steps.a }}", step: { id: e, arguments: { x: "{{ .steps.b }}" } } }`),
    ],
    [
      'LNT7005 warning 7:31 the template reads step "b", on which step "a" does not depend: the step may not have run yet',
      'LNT7005 warning 8:47 the template belongs to step "b" and reads the same step, which has not run yet',
      'LNT7005 warning 9:48 the template reads step "a", on which step "c" does not depend: the step may not have run yet',
      'LNT7005 warning 10:47 the template reads step "a", on which step "d" does not depend: the step may not have run yet',
      'LNT7005 warning 10:96 the template reads step "b", on which step "d" does not depend: the step may not have run yet',
    ],
  ],
  [
    'reads of a step inside of a forEach',
    [
      steps(`
    - { id: a, type: forEach, step: { id: inner } }
    - { id: b, dependsOn: [a], condition: "{{ .steps.inner.output }}" }`),
    ],
    ['LNT7005 error 8:47 the template reads step "inner", which is not a step of this workflow'],
  ],
  [
    'reads of steps that depend on each other',
    [
      steps(`
    - { id: a, dependsOn: [b], condition: "{{ .steps.b.status }}" }
    - { id: b, dependsOn: [a, nowhere], condition: "{{ .steps.a.status }}" }`),
    ],
    [],
  ],
  [
    'a workflow in a gateway',
    [gatewayConfig('{ compositeTools: [{ name: w, steps: [{ id: a, condition: "{{ .steps.x }}" }] }] }')],
    ['LNT7005 error 7:73 the template reads step "x", which is not a step of this workflow'],
  ],
  [
    'declared parameters',
    [parameters('{ type: object, properties: { x: {} } }', '{{ .params.x.y }}{{ .params }}')],
    [],
  ],
  [
    'undeclared parameters',
    [parameters('{ type: object, properties: { title: {} } }', '{{ .params.titel }}{{ .params.toString }}')],
    [
      'LNT7005 warning 7:31 the template reads parameter "titel", which is not in properties of parameters',
      'LNT7005 warning 7:50 the template reads parameter "toString", which is not in properties of parameters',
    ],
  ],
  [
    'parameters without properties',
    [parameters('{ type: object }', '{{ .params.x }}')],
    ['LNT7005 warning 7:31 the template reads parameter "x", which is not in properties of parameters'],
  ],
  [
    'a workflow without parameters',
    [steps('\n    - { id: a, condition: "{{ .params.x }}" }')],
    ['LNT7005 warning 7:31 the template reads parameter "x", which is not in properties of parameters'],
  ],
  [
    'a schema that allows additional parameters',
    [parameters('{ type: object, additionalProperties: true }', '{{ .params.x }}')],
    [],
  ],
  [
    'a schema that allows no additional parameters',
    [parameters('{ additionalProperties: false }', '{{ .params.x }}')],
    ['LNT7005 warning 7:31 the template reads parameter "x", which is not in properties of parameters'],
  ],
  ['a composed schema', [parameters('{ type: object, allOf: [] }', '{{ .params.x }}')], []],
  ['broken properties', [parameters('{ type: object, properties: [x] }', '{{ .params.x }}')], []],
  [
    'items of a forEach',
    [
      steps(`
    - { id: a, type: forEach, step: { id: i, arguments: { x: "{{ .forEach.item.x }}{{ .forEach.index }}{{ .forEach }}" } } }
    - { id: b, type: forEach, itemVar: row, step: { id: i, arguments: { x: "{{ .forEach.row }}{{ .forEach.item }}" } } }`),
    ],
    ['LNT7005 warning 8:98 the template reads .forEach.item, but the item is .forEach.row'],
  ],
  [
    'items outside of the forEach',
    [
      steps(`
    - { id: a, arguments: { x: "{{ .forEach.item }}" } }
    - { id: b, type: forEach, collection: "{{ .forEach }}" }
  output: { properties: { x: { type: string, value: "{{ .forEach.index }}" } } }`),
    ],
    [
      'LNT7005 error 7:36 the template reads .forEach, which only arguments of the step inside of a forEach can read',
      'LNT7005 error 8:47 the template reads .forEach, which only arguments of the step inside of a forEach can read',
      'LNT7005 error 9:57 the template reads .forEach, which only arguments of the step inside of a forEach can read',
    ],
  ],
  ['a template that does not parse', [steps('\n    - { id: a, condition: "{{ .steps.x" }')], []],
])('the rule templateUndeclaredStep gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('templateUndeclaredStep', ...objects)).toEqual(expected);
});

test('the rule templateUndeclaredStep suggests a dependency only if it causes no cycle', () => {
  const text = steps(`
    - { id: a, condition: "{{ .steps.b.status }}" }
    - { id: b, dependsOn: [a] }
    - { id: c, condition: "{{ .steps.b.status }}{{ .steps.bb.status }}{{ .steps.nowhere.status }}" }`);
  expect(findings('templateUndeclaredStep', text).map(({ fix }) => fix)).toEqual([
    undefined,
    'add "b" to dependsOn of step "c"',
    'did you mean "b"?',
    undefined,
  ]);
});

test('the rule templateUndeclaredStep checks no dependencies of a workflow with more than 100 steps', () => {
  const many = Array.from({ length: 101 }, (_, n) => `\n    - { id: s${n} }`).join('');
  expect(
    judge('templateUndeclaredStep', steps(`${many}\n    - { id: z, condition: "{{ .steps.s0.status }}" }`)),
  ).toEqual([]);
});
