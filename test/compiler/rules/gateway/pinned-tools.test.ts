import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge, type Offers } from '../../../support/gateway-rule.ts';

const gateway = (value: string | undefined) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng, annotations: {${value === undefined ? '' : ` lintel.dev/pinned-tools: ${value}`} } }
spec: { groupRef: { name: tools }, incomingAuth: { type: anonymous } }
`;
const LOCKED: Offers = { [formatBackendKey('a')]: { tools: ['x'] }, [formatBackendKey('b')]: { tools: [] } };

test.each<[what: string, value: string | undefined, offers: Offers, message: string | undefined]>([
  ['without the annotation', undefined, {}, undefined],
  ['not wanted', 'disabled', {}, undefined],
  ['wanted, and every backend is locked', 'enabled', LOCKED, undefined],
  [
    'wanted without a lock',
    'enabled',
    {},
    'tools are pinned to the tool lock, which does not have "a" and "b": clients would not get any tool of these backends',
  ],
  [
    'wanted, and a backend is not locked',
    'enabled',
    { [formatBackendKey('a')]: { tools: ['x'] } },
    'tools are pinned to the tool lock, which does not have "b": clients would not get any tool of these backends',
  ],
  [
    'another word',
    '"true"',
    LOCKED,
    'lintel.dev/pinned-tools is "true", and only "enabled" and "disabled" are allowed',
  ],
  [
    'another case',
    'Enabled',
    LOCKED,
    'lintel.dev/pinned-tools is "Enabled", and only "enabled" and "disabled" are allowed',
  ],
])('pinned tools: %s', (_, value, offers, message) => {
  const found = judge('pinnedTools', [gateway(value), entries('a', 'b')], offers);
  expect(found).toEqual(message === undefined ? [] : [expect.stringMatching(/^LNT3030 error 3:\d+ /)]);
  if (message !== undefined) expect(found[0]).toContain(message);
});
