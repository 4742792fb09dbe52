import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge, type Offers } from '../../../support/gateway-rule.ts';

const gateway = (value: string | undefined) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng, annotations: {${value === undefined ? '' : ` lintel.dev/pinned-tools: ${value}`} } }
spec: { groupRef: { name: tools }, incomingAuth: { type: anonymous } }
`;
const LOCKED: Offers = { [formatBackendKey('a')]: { tools: ['x'] }, [formatBackendKey('b')]: { tools: [] } };

test.each<[what: string, value: string | undefined, offers: Offers, message: string | undefined]>([
  ['no annotation', undefined, {}, undefined],
  ['the annotation disabled', 'disabled', {}, undefined],
  ['the annotation enabled, with every backend locked', 'enabled', LOCKED, undefined],
  [
    'the annotation enabled, without a tool lock',
    'enabled',
    {},
    'tools are pinned to the tool lock, which does not have "a" and "b": clients would not get any tool of these backends',
  ],
  [
    'the annotation enabled, with one backend locked',
    'enabled',
    { [formatBackendKey('a')]: { tools: ['x'] } },
    'tools are pinned to the tool lock, which does not have "b": clients would not get any tool of these backends',
  ],
  [
    'the annotation "true"',
    '"true"',
    LOCKED,
    'lintel.dev/pinned-tools is "true", and only "enabled" and "disabled" are allowed',
  ],
  [
    'the annotation Enabled',
    'Enabled',
    LOCKED,
    'lintel.dev/pinned-tools is "Enabled", and only "enabled" and "disabled" are allowed',
  ],
])('the rule unpinnedTools gives the expected findings for %s', (_, value, offers, message) => {
  const found = judge('unpinnedTools', [gateway(value), entries('a', 'b')], offers);
  expect(found).toEqual(message === undefined ? [] : [expect.stringMatching(/^LNT3030 error 3:\d+ /)]);
  if (message !== undefined) expect(found[0]).toContain(message);
});
