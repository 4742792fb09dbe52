import { expect, test } from 'vitest';
import { findings, gatewayConfig, judge, object } from '../../support/rule.ts';

const steps = (text: string) => object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps:${text}`);
const READER = '{ id: z, dependsOn: [a], arguments: { x: "{{ .steps.a.output.x }}", y: "{{ .steps.a.output.y }}" } }';

test.each<[string, string[], string[]]>([
  ['a step that always has a result', [steps(`\n    - { id: a }\n    - ${READER}`)], []],
  ['an empty condition', [steps(`\n    - { id: a, condition: "" }\n    - ${READER}`)], []],
  ['retries', [steps(`\n    - { id: a, onError: { action: retry, retryCount: 1 } }\n    - ${READER}`)], []],
  [
    'default results with all fields that are read',
    [steps(`\n    - { id: a, condition: "true", defaultResults: { x: 1, y: ~ } }\n    - ${READER}`)],
    [],
  ],
  [
    'default results with one of the fields that are read',
    [steps(`\n    - { id: a, condition: "true", defaultResults: { x: 1 } }\n    - ${READER}`)],
    [
      'LNT7008 error 7:51 step "a" can be skipped, but defaultResults does not have "y", which a template reads from its output',
    ],
  ],
  [
    'no default results for fields that are read',
    [steps(`\n    - { id: a, onError: { action: continue } }\n    - ${READER}`)],
    [
      'LNT7008 error 7:7 step "a" may fail without ending the workflow, but defaultResults does not have "x", which a template reads from its output',
      'LNT7008 error 7:7 step "a" may fail without ending the workflow, but defaultResults does not have "y", which a template reads from its output',
    ],
  ],
  [
    'default results that are no mapping',
    [steps(`\n    - { id: a, condition: "true", defaultResults: [x] }\n    - ${READER}`)],
    [
      'LNT7008 error 7:51 step "a" can be skipped, but defaultResults does not have "x", which a template reads from its output',
      'LNT7008 error 7:51 step "a" can be skipped, but defaultResults does not have "y", which a template reads from its output',
    ],
  ],
  [
    'a field that the output reads',
    [
      steps(`
    - { id: a, condition: "true" }
  output: { properties: { x: { type: string, value: "{{ .steps.a.output.x.y }}{{ .steps.a.output.x.z }}", default: d } } }`),
    ],
    [
      'LNT7008 error 7:7 step "a" can be skipped, but defaultResults does not have "x", which a template reads from its output',
    ],
  ],
  [
    'reads of the step itself and of its status',
    [
      steps(`
    - { id: a, condition: "{{ .steps.a.output.x }}" }
    - { id: b, dependsOn: [a], condition: "{{ .steps.a.status }}{{ json .steps.a.output }}{{ .vars.a.output.x }}" }`),
    ],
    [],
  ],
  [
    'a workflow in a gateway',
    [
      gatewayConfig(
        '{ compositeTools: [{ name: w, steps: [{ id: a, condition: "true" }, { id: b, type: forEach, step: { id: c, arguments: { x: "{{ .steps.a.output.x }}" } } }] }] }',
      ),
    ],
    [
      'LNT7008 error 7:49 step "a" can be skipped, but defaultResults does not have "x", which a template reads from its output',
    ],
  ],
])('the rule defaultResultsMissing gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('defaultResultsMissing', ...objects)).toEqual(expected);
});

test('a finding about a step without defaultResults shows the templates that read the output of the step', () => {
  const text = steps(`\n    - { id: a, condition: "true" }\n    - ${READER}`);
  const related = findings('defaultResultsMissing', text).flatMap(found => found.related ?? []);
  const read = related.map(({ range }) => text.slice(range.start.offset, range.end.offset));
  expect(read).toEqual(['.steps.a.output.x', '.steps.a.output.y']);
});
