import { expect, test } from 'vitest';
import { findings, gatewayConfig, judge, object } from '../../support/rule.ts';

const steps = (text: string) => object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps:${text}`);
const parameters = (schema: string, text: string) =>
  steps(`\n    - { id: a, condition: '${text}' }\n  parameters: ${schema}`);

test.each<[string, string[], string[]]>([
  [
    'steps that are waited for, directly or not, and the output',
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
    'steps that do not exist',
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
    'steps that are not waited for',
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
    'a step inside of forEach is none of the workflow',
    [
      steps(`
    - { id: a, type: forEach, step: { id: inner } }
    - { id: b, dependsOn: [a], condition: "{{ .steps.inner.output }}" }`),
    ],
    ['LNT7005 error 8:47 the template reads step "inner", which is not a step of this workflow'],
  ],
  [
    'steps that wait for each other',
    [
      steps(`
    - { id: a, dependsOn: [b], condition: "{{ .steps.b.status }}" }
    - { id: b, dependsOn: [a, nowhere], condition: "{{ .steps.a.status }}" }`),
    ],
    [],
  ],
  [
    'inline',
    [gatewayConfig('{ compositeTools: [{ name: w, steps: [{ id: a, condition: "{{ .steps.x }}" }] }] }')],
    ['LNT7005 error 7:73 the template reads step "x", which is not a step of this workflow'],
  ],
  [
    'declared parameters',
    [parameters('{ type: object, properties: { x: {} } }', '{{ .params.x.y }}{{ .params }}')],
    [],
  ],
  [
    'parameters that are not declared',
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
    'no parameters',
    [steps('\n    - { id: a, condition: "{{ .params.x }}" }')],
    ['LNT7005 warning 7:31 the template reads parameter "x", which is not in properties of parameters'],
  ],
  ['further parameters', [parameters('{ type: object, additionalProperties: true }', '{{ .params.x }}')], []],
  [
    'no further parameters',
    [parameters('{ additionalProperties: false }', '{{ .params.x }}')],
    ['LNT7005 warning 7:31 the template reads parameter "x", which is not in properties of parameters'],
  ],
  ['a composed schema', [parameters('{ type: object, allOf: [] }', '{{ .params.x }}')], []],
  ['broken properties', [parameters('{ type: object, properties: [x] }', '{{ .params.x }}')], []],
  [
    'items',
    [
      steps(`
    - { id: a, type: forEach, step: { id: i, arguments: { x: "{{ .forEach.item.x }}{{ .forEach.index }}{{ .forEach }}" } } }
    - { id: b, type: forEach, itemVar: row, step: { id: i, arguments: { x: "{{ .forEach.row }}{{ .forEach.item }}" } } }`),
    ],
    ['LNT7005 warning 8:98 the template reads .forEach.item, but the item is .forEach.row'],
  ],
  [
    'items outside of forEach',
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
  ['what does not parse', [steps('\n    - { id: a, condition: "{{ .steps.x" }')], []],
])('the rule compositeReads gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeReads', ...objects)).toEqual(expected);
});

test('proposes a dependency only where it closes no circle', () => {
  const text = steps(`
    - { id: a, condition: "{{ .steps.b.status }}" }
    - { id: b, dependsOn: [a] }
    - { id: c, condition: "{{ .steps.b.status }}{{ .steps.bb.status }}{{ .steps.nowhere.status }}" }`);
  expect(findings('compositeReads', text).map(({ fix }) => fix)).toEqual([
    undefined,
    'add "b" to dependsOn of step "c"',
    'did you mean "b"?',
    undefined,
  ]);
});

test('among too many steps it is not checked what waits for what', () => {
  const many = Array.from({ length: 101 }, (_, n) => `\n    - { id: s${n} }`).join('');
  expect(judge('compositeReads', steps(`${many}\n    - { id: z, condition: "{{ .steps.s0.status }}" }`))).toEqual([]);
});
