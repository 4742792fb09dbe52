import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, object } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const tool = (name: string, annotations?: object) => ({
  name,
  inputSchema: { type: 'object' },
  ...(annotations && { annotations }),
});
const OFFERS = {
  [formatBackendKey('a')]: {
    tools: [
      tool('read', { readOnlyHint: true, destructiveHint: true, openWorldHint: false }),
      tool('write', { readOnlyHint: false }),
      tool('drop', { readOnlyHint: false, destructiveHint: true }),
      tool('wipe', { destructiveHint: true }),
      tool('fetch', { readOnlyHint: true, openWorldHint: true }),
      tool('mute'),
    ],
  },
};
const override = (name: string, annotations: string) =>
  gatewayConfig(
    `{ aggregation: { tools: [{ workload: a, overrides: { ${name}: { annotations: { ${annotations} } } } }] } }`,
  );

test.each<[tool: string, annotations: string, says: string | null]>([
  ['read', 'readOnlyHint: true, destructiveHint: false', null],
  ['write', 'readOnlyHint: true', 'readOnlyHint true of "write" of "a", and the backend says that it is not read-only'],
  ['write', 'destructiveHint: false', null],
  ['write', 'readOnlyHint: false', null],
  ['drop', 'readOnlyHint: true', 'readOnlyHint true of "drop" of "a", and the backend says that it may destroy data'],
  [
    'drop',
    'destructiveHint: false',
    'destructiveHint false of "drop" of "a", and the backend says that it may destroy data',
  ],
  ['drop', 'destructiveHint: true, idempotentHint: true', null],
  ['wipe', 'readOnlyHint: true', 'readOnlyHint true of "wipe" of "a", and the backend says that it may destroy data'],
  [
    'fetch',
    'openWorldHint: false',
    'openWorldHint false of "fetch" of "a", and the backend says that it reaches out to other systems',
  ],
  ['mute', 'readOnlyHint: true, destructiveHint: false, openWorldHint: false', null],
])('the rule overrideTooSafe gives the expected findings for the tool "%s" with %s', (name, annotations, says) => {
  const found = findings('overrideTooSafe', [override(name, annotations), entries('a')], OFFERS);
  expect(found.map(({ message }) => message)).toEqual(says === null ? [] : [`the override says ${says}`]);
});

test('LNT3031 points to the annotation in the override that calls the tool safer than the backend does', () => {
  const objects = [override('drop', 'readOnlyHint: true'), entries('a')];
  expect(judge('overrideTooSafe', objects, OFFERS)).toEqual([
    'LNT3031 warning 7:101 the override says readOnlyHint true of "drop" of "a", and the backend says that it may destroy data',
  ]);
});

test('LNT3031 about an override in an MCPToolConfig names the gateway that uses the MCPToolConfig', () => {
  const config = object(
    'MCPToolConfig',
    '{ toolsOverride: { drop: { annotations: { readOnlyHint: true } } } }',
    'shared',
  );
  const gateway = gatewayConfig('{ aggregation: { tools: [{ workload: a, toolConfigRef: { name: shared } }] } }');
  const found = findings('overrideTooSafe', [gateway, config, entries('a')], OFFERS);
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining('(in gateway "it")')]);
});

test('the rule overrideTooSafe does not check a backend without a tool lock', () => {
  expect(judge('overrideTooSafe', [override('drop', 'readOnlyHint: true'), entries('a')], {})).toEqual([]);
});
