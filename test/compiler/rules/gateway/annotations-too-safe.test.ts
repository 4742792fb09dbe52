import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const tool = (name: string, annotations?: object) => ({
  name,
  inputSchema: { type: 'object' },
  ...(annotations && { annotations }),
});
const OFFERS = {
  [formatBackendKey('a')]: {
    tools: [
      tool('read', { readOnlyHint: true, openWorldHint: false }),
      tool('write', { readOnlyHint: false, destructiveHint: false, openWorldHint: false }),
      tool('drop', { readOnlyHint: false, destructiveHint: true, openWorldHint: true }),
      tool('mute'),
    ],
  },
};
const workflow = (annotations: string, ...tools: readonly string[]) => {
  const steps = tools.map(name => `{ id: ${name}, tool: a.${name} }`).join(', ');
  return `compositeTools: [{ name: w, annotations: { ${annotations} }, steps: [${steps}] }]`;
};

test.each<[string, string[], string[]]>([
  ['readOnlyHint: true', ['read'], []],
  [
    'readOnlyHint: true',
    ['read', 'write'],
    ['readOnlyHint true, but its step "write" calls "write" of "a", which is not read-only'],
  ],
  [
    'readOnlyHint: true',
    ['mute'],
    [
      'readOnlyHint true, but its step "mute" calls "mute" of "a", which is not read-only: its annotations do not set readOnlyHint',
    ],
  ],
  ['readOnlyHint: false', ['drop'], []],
  ['destructiveHint: false', ['read', 'write'], []],
  [
    'destructiveHint: false',
    ['write', 'drop'],
    ['destructiveHint false, but its step "drop" calls "drop" of "a", which may destroy data'],
  ],
  [
    'destructiveHint: false',
    ['mute'],
    [
      'destructiveHint false, but its step "mute" calls "mute" of "a", which may destroy data: its annotations do not set destructiveHint',
    ],
  ],
  ['destructiveHint: true, openWorldHint: true', ['drop', 'mute'], []],
  ['openWorldHint: false', ['read', 'write'], []],
  [
    'openWorldHint: false',
    ['drop'],
    ['openWorldHint false, but its step "drop" calls "drop" of "a", which reaches out to other systems'],
  ],
  ['idempotentHint: true, title: Sort', ['drop'], []],
  ['readOnlyHint: true', ['quux'], []],
])(
  'the rule annotationsTooSafe gives the expected findings for a workflow with %s whose steps call the tools %j',
  (annotations, tools, expected) => {
    const found = findings(
      'annotationsTooSafe',
      [gatewayConfig(`{ ${workflow(annotations, ...tools)} }`), entries('a')],
      OFFERS,
    );
    expect(found.map(({ message }) => message)).toEqual(expected.map(text => `"w" claims ${text}`));
  },
);

test('the rule annotationsTooSafe uses the annotations of an override', () => {
  const aggregation =
    'aggregation: { tools: [{ workload: a, overrides: { mute: { annotations: { readOnlyHint: true } } } }] }';
  const text = gatewayConfig(`{ ${aggregation}, ${workflow('readOnlyHint: true', 'mute')} }`);
  expect(judge('annotationsTooSafe', [text, entries('a')], OFFERS)).toEqual([]);
});

test('LNT7009, about a workflow that claims to be safer than a tool it calls, points to the annotation and refers to the step', () => {
  const objects = [gatewayConfig(`{ ${workflow('readOnlyHint: true', 'drop')} }`), entries('a')];
  expect(judge('annotationsTooSafe', objects, OFFERS)).toEqual([
    'LNT7009 error 7:70 "w" claims readOnlyHint true, but its step "drop" calls "drop" of "a", which is not read-only',
  ]);
  const [place] = findings('annotationsTooSafe', objects, OFFERS)[0]?.related ?? [];
  expect(objects[0]?.slice(place?.range.start.offset, place?.range.end.offset)).toBe('a.drop');
});
