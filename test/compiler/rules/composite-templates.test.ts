import { expect, test } from 'vitest';
import { findings, gatewayConfig, judge, object } from '../../support/rule.ts';

const steps = (text: string) => object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps:${text}`);

test.each<[string, string[], string[]]>([
  [
    'valid templates, and texts without templates',
    [
      steps(`
    - { id: a, arguments: { text: "{{ .params.x | json }}", plain: hi, count: 3 }, condition: "{{ true }}" }
    - { id: b, type: elicitation, message: "{{ if .params.x }}x{{ end }}" }
    - { id: c, type: forEach, collection: "{{ json .params.x }}", step: { id: d, arguments: { y: "{{ .forEach.item }}" } } }
  output: { properties: { out: { type: string, value: "{{ .steps.a.output.text }}" } } }`),
    ],
    [],
  ],
  [
    'an invalid template in each field',
    [
      steps(`
    - id: a
      arguments: { text: "{{ if }}" }
      condition: "{{ if }}"
    - id: b
      type: elicitation
      message: Say {{ if }}
    - id: c
      type: forEach
      collection: "{{ if }}"
      step: { id: d, arguments: { y: "{{ if }}" } }
  output:
    properties:
      flat: { type: string, value: "{{ if }}" }
      deep: { type: object, properties: { inner: { type: string, value: "{{ if }}" } } }`),
    ],
    [
      'LNT7004 error 9:25 not a template: a value is missing in the {{if}}',
      'LNT7004 error 8:33 not a template: a value is missing in the {{if}}',
      'LNT7004 error 12:26 not a template: a value is missing in the {{if}}',
      'LNT7004 error 15:26 not a template: a value is missing in the {{if}}',
      'LNT7004 error 16:45 not a template: a value is missing in the {{if}}',
      'LNT7004 error 19:43 not a template: a value is missing in the {{if}}',
      'LNT7004 error 20:80 not a template: a value is missing in the {{if}}',
    ],
  ],
  [
    'a workflow in a gateway',
    [gatewayConfig('{ compositeTools: [{ name: w, steps: [{ id: a, condition: "{{ if }}" }] }] }')],
    ['LNT7004 error 7:76 not a template: a value is missing in the {{if}}'],
  ],
  [
    'invalid templates deep inside of arguments',
    [
      steps(`
    - id: a
      arguments:
        list: ["{{ .params.x }}", plain, { deep: "{{" }]
        object: { x: "{{ .params.x }}", none: ~, count: 1 }
    - { id: c, type: forEach, step: { id: d, arguments: { y: ["{{ .forEach.item }}"] } } }`),
    ],
    [
      'LNT7019 warning 9:16 only strings at the first level of arguments are templates: the tool gets this text unchanged',
      'LNT7019 warning 9:50 only strings at the first level of arguments are templates: the tool gets this text unchanged',
      'LNT7019 warning 10:22 only strings at the first level of arguments are templates: the tool gets this text unchanged',
      'LNT7019 warning 11:63 only strings at the first level of arguments are templates: the tool gets this text unchanged',
    ],
  ],
])('the rule compositeTemplates gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeTemplates', ...objects)).toEqual(expected);
});

/** The text that the finding about `value` marks. */
function marked(value: string): string | undefined {
  const text = steps(`\n    - id: a\n      arguments:\n        x: ${value}\n        y: &y "{{ .a }}"`);
  const [found] = findings('compositeTemplates', text);
  return found && text.slice(found.range.start.offset, found.range.end.offset);
}

test.each([
  ['in a plain value', 'say {{ .a | nope }}', 'nope'],
  ['in double quotes', '"🙂 {{ .a | nope }}"', 'nope'],
  ['in double quotes with escapes', String.raw`"\"\\ {{ eq \"b\" nope }}"`, 'nope'],
  ['in single quotes', "'it''s {{ .a | nope }}'", 'nope'],
  ['with escapes of JSON', String.raw`"\t\u0041{{ .a | nope }}"`, 'nope'],
  ['with an escape that only YAML has', String.raw`"\e{{ .a | nope }}"`, String.raw`"\e{{ .a | nope }}"`],
  ['over several lines', '"{{ .a\n          | nope }}"', '"{{ .a\n          | nope }}"'],
  ['in a literal block', '|-\n          one\n\n            {{ nope }}', 'nope'],
  ['in a literal block with an indentation number', '|2\n            {{ .a }}\n          {{ nope }}', 'nope'],
  ['in a folded block', '>-\n          {{ nope }}', '>-\n          {{ nope }}\n'],
])('a finding about a template marks the faulty part, or the whole value: %s', (_, value, expected) => {
  expect(marked(value)).toBe(expected);
});

test('a finding about a template has the message of the parser, and a fix', () => {
  const [found] = findings('compositeTemplates', steps('\n    - { id: a, arguments: { x: "{{ .a | nope }}" } }'));
  expect(found).toMatchObject({ message: expect.stringContaining('nope'), fix: expect.any(String) });
});
