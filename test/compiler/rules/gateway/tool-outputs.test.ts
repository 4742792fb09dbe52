import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const ISSUE = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    user: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
  },
};
const properties = {
  issue: ISSUE,
  list: { type: 'array', items: ISSUE },
  same: { $ref: '#/properties/issue' },
  either: { anyOf: [ISSUE, { type: 'null' }] },
  free: { type: 'object' },
  map: { type: 'object', additionalProperties: ISSUE },
};
const tool = (name: string, outputSchema?: object) => ({
  name,
  inputSchema: { type: 'object' },
  ...(outputSchema && { outputSchema }),
});
const OFFERS = {
  [formatBackendKey('a')]: {
    tools: [
      tool('open', { type: 'object', properties }),
      tool('closed', { type: 'object', properties, additionalProperties: false }),
      tool('text'),
      tool('some', { type: 'object' }),
    ],
  },
};

function said(name: string, template: string): string[] {
  const steps = `[{ id: s, tool: a.${name} }, { id: t, tool: a.text, dependsOn: [s], arguments: { x: '${template}' } }]`;
  const text = gatewayConfig(`{ compositeTools: [{ name: w, steps: ${steps} }] }`);
  return findings('toolOutputs', [text, entries('a')], OFFERS).map(({ code, severity, range, message, fix }) => {
    const marked = text.slice(range.start.offset, range.end.offset);
    return `${code} ${severity} ${marked}: ${message}${fix === undefined ? '' : ` | ${fix}`}`;
  });
}

test.each<[string, string, string[]]>([
  ['open', '{{ .steps.s.output.issue.id }}{{ .steps.s.output.same.user.name }}{{ .steps.s.output.map.x.id }}', []],
  [
    'open',
    '{{ .steps.s.output }}{{ .steps.s.status }}{{ .steps.s.output.either.id }}{{ .steps.s.output.free.x.y }}',
    [],
  ],
  [
    'open',
    '{{ .steps.s.output.isue }}',
    [
      'LNT7006 warning .steps.s.output.isue: the tool "open" of "a" does not promise "isue" in the result | did you mean "issue"?',
    ],
  ],
  [
    'closed',
    '{{ .steps.s.output.isue }}',
    [
      'LNT7006 error .steps.s.output.isue: the tool "closed" of "a" does not give "isue" in the result | did you mean "issue"?',
    ],
  ],
  [
    'open',
    '{{ .steps.s.output.issue.user.mail }}',
    [
      'LNT7006 error .steps.s.output.issue.user.mail: the tool "open" of "a" does not give "mail" in "issue.user" | its fields: "name"',
    ],
  ],
  [
    'open',
    '{{ .steps.s.output.map.x.idd }}',
    [
      'LNT7006 warning .steps.s.output.map.x.idd: the tool "open" of "a" does not promise "idd" in "map.x" | did you mean "id"?',
    ],
  ],
  [
    'open',
    '{{ .steps.s.output.list.id }}',
    ['LNT7006 error .steps.s.output.list.id: the tool "open" of "a" gives "list" as array, which has no field "id"'],
  ],
  [
    'open',
    '{{ .steps.s.output.issue.id.x }}',
    [
      'LNT7006 error .steps.s.output.issue.id.x: the tool "open" of "a" gives "issue.id" as integer, which has no field "x"',
    ],
  ],
  ['text', '{{ .steps.s.output.text }}{{ .steps.s.output.text_1 }}{{ .steps.s.output.image_0 }}', []],
  [
    'text',
    '{{ .steps.s.output.items }}',
    [
      'LNT7006 warning .steps.s.output.items: the tool "text" of "a" has no output schema, so its result is probably text without the field "items" | read .output.text, with fromJson if the text is JSON',
    ],
  ],
  ['some', '{{ .steps.s.output.anything }}', []],
  ['quux', '{{ .steps.s.output.anything }}', []],
])(
  'the rule toolOutputs gives the expected findings for a step that calls the tool "%s" and the template %s',
  (name, template, expected) => {
    expect(said(name, template)).toEqual(expected);
  },
);
