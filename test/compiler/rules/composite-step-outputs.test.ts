import { expect, test } from 'vitest';
import { findings, object } from '../../support/rule.ts';

const STEPS = `
    - { id: each, type: forEach, collection: "[]", step: { id: i, tool: t } }
    - { id: ask, type: elicitation, message: m, schema: { type: object, properties: { colour: { type: string } } } }
    - { id: free, type: elicitation, message: m, schema: { type: object } }
    - { id: call, tool: t }`;

function said(template: string): string[] {
  const text = object(
    'VirtualMCPCompositeToolDefinition',
    `\n  name: w\n  steps:${STEPS}\n    - { id: z, tool: t, arguments: { x: '${template}' } }`,
  );
  return findings('compositeStepOutputs', text).map(({ code, severity, range, message, fix }) => {
    const marked = text.slice(range.start.offset, range.end.offset);
    return `${code} ${severity} ${marked}: ${message}${fix === undefined ? '' : ` | ${fix}`}`;
  });
}

test.each<[string, string[]]>([
  ['{{ json .steps.each.output.iterations }}{{ .steps.each.output.count }}{{ .steps.each.output }}', []],
  ['{{ .steps.ask.output.action }}{{ .steps.ask.output.content.colour }}{{ .steps.free.output.content.x }}', []],
  ['{{ .steps.call.output.results }}{{ .steps.each.status }}{{ .steps.nobody.output.x }}', []],
  [
    '{{ .steps.each.output.iteration }}',
    [
      'LNT7006 error .steps.each.output.iteration: step "each" is of type forEach and gives iterations, count, completed, failed, not "iteration" | did you mean "iterations"?',
    ],
  ],
  [
    '{{ .steps.each.output.iterations.id }}',
    ['LNT7006 error .steps.each.output.iterations.id: "iterations" of step "each" has no field "id"'],
  ],
  [
    '{{ .steps.ask.output.colour }}',
    [
      'LNT7006 error .steps.ask.output.colour: step "ask" is of type elicitation and gives action, content, not "colour"',
    ],
  ],
  [
    '{{ .steps.ask.output.content.color }}',
    [
      'LNT7006 warning .steps.ask.output.content.color: the schema of step "ask" does not ask for "color" | did you mean "colour"?',
    ],
  ],
])('the rule compositeStepOutputs gives the expected findings for the template %s', (template, expected) => {
  expect(said(template)).toEqual(expected);
});
