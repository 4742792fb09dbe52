import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const uses = object('MCPServer', '{ image: i, authServerRef: { kind: MCPExternalAuthConfig, name: it } }', 's');

test.each<[string, string[], string[]]>([
  [
    'an authorization server, or elsewhere',
    [uses, object('MCPExternalAuthConfig', '{ type: embeddedAuthServer }')],
    [],
  ],
  ['elsewhere', [uses], []],
  [
    'something else',
    [uses, object('MCPExternalAuthConfig', '{ type: unauthenticated }')],
    ['LNT2003 error 4:71 MCPExternalAuthConfig "it" is of type unauthenticated, not embeddedAuthServer'],
  ],
])('the rule authServerReference gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('authServerReference', ...objects)).toEqual(expected);
});
