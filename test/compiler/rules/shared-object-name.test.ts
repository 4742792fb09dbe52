/** A gateway and a registry server must not share objects. */
import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const registry = (name: string) => object('MCPRegistry', '{ configYAML: x }', name);
const server = (name: string) => gateway('incomingAuth: { type: anonymous }', name);

test.each<[what: string, objects: readonly string[], expected: readonly string[]]>([
  ['unrelated names', [registry('tools'), server('tools')], []],
  [
    'two Deployments of one name',
    [registry('tools'), server('tools-api')],
    ['LNT2009 error 3:19 Deployment "tools-api" would belong to VirtualMCPServer "tools-api" as well'],
  ],
  [
    'two Services of one name',
    [registry('vmcp-tools'), server('tools-api')],
    ['LNT2009 error 3:19 Service "vmcp-tools-api" would belong to VirtualMCPServer "tools-api" as well'],
  ],
  [
    'names in two namespaces',
    [registry('tools'), server('tools-api').replace('tools-api }', 'tools-api, namespace: b }')],
    [],
  ],
])('the rule sharedObjectName gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('sharedObjectName', ...objects)).toEqual(expected);
});
