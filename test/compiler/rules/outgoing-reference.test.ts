import { expect, test } from 'vitest';
import { outgoingReference } from '../../../compiler/rules/outgoing-reference.ts';
import { gateway, judge, object } from '../../support/rule.ts';

const uses = gateway(`incomingAuth: { type: anonymous }
  outgoingAuth:
    default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: it } }
    backends:
      github: { type: externalAuthConfigRef, externalAuthConfigRef: { name: it } }
      jira: { type: discovered }`);

test.each<[string, string[], string[]]>([
  ['a strategy of gateways', [uses, object('MCPExternalAuthConfig', '{ type: unauthenticated }')], []],
  [
    'what only a proxy can use',
    [
      uses,
      object('MCPExternalAuthConfig', '{ type: bearerToken, bearerToken: { tokenSecretRef: { name: s, key: k } } }'),
    ],
    [
      'LNT2003 error 8:76 MCPExternalAuthConfig "it" is of type bearerToken, which a gateway cannot use toward a backend',
      'LNT2003 error 10:77 MCPExternalAuthConfig "it" is of type bearerToken, which a gateway cannot use toward a backend',
    ],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(outgoingReference, ...objects)).toEqual(expected);
});
