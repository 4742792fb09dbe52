import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const uses = object('MCPServer', '{ image: i, authServerRef: { kind: MCPExternalAuthConfig, name: it } }', 's');

test.each<[string, string[], string[]]>([
  [
    'a reference to an authorization server',
    [uses, object('MCPExternalAuthConfig', '{ type: embeddedAuthServer }')],
    [],
  ],
  ['a reference to an object outside of the sources', [uses], []],
  [
    'a reference to a credential of another type',
    [uses, object('MCPExternalAuthConfig', '{ type: unauthenticated }')],
    ['LNT2003 error 4:71 MCPExternalAuthConfig "it" is of type unauthenticated, not embeddedAuthServer'],
  ],
])('the rule authServerReference gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('authServerReference', ...objects)).toEqual(expected);
});
