import { expect, test } from 'vitest';
import { literalSecrets } from '../../../compiler/rules/literal-secrets.ts';
import { gateway, gatewayConfig, judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'only references',
    [
      gatewayConfig(
        '{ outgoingAuth: { source: inline, default: { type: token_exchange, tokenExchange: { tokenUrl: u, clientSecretEnv: E, clientSecret: "" } } } }',
      ),
      object(
        'MCPServerEntry',
        '{ remoteUrl: https://a.example.com, transport: sse, groupRef: { name: tools }, headerForward: { addPlaintextHeaders: { X-Tenant: a } } }',
      ),
    ],
    [],
  ],
  [
    'in every kind of strategy',
    [
      gatewayConfig(`
    outgoingAuth:
      source: inline
      default:
        type: header_injection
        headerInjection:
          headerName: X-Key
          headerValue: hush
      backends:
        a: { type: token_exchange, tokenExchange: { tokenUrl: u, clientSecret: hush } }
        b: { type: obo, obo: { tokenUrl: u, clientSecret: hush } }
        c: { type: xaa, xaa: { idpTokenUrl: https://a, targetTokenUrl: u, targetAudience: a, idpClientSecret: hush, targetClientSecret: hush } }`),
    ],
    [
      'LNT6001 error 12:9 headerValue holds a secret in the clear',
      'LNT6001 error 16:36 clientSecret holds a secret in the clear',
      'LNT6001 error 17:25 clientSecret holds a secret in the clear',
      'LNT6001 error 18:25 idpClientSecret holds a secret in the clear',
      'LNT6001 error 18:25 targetClientSecret holds a secret in the clear',
    ],
  ],
  [
    'where nothing reads it',
    [
      gateway(`incomingAuth: { type: anonymous }
  outgoingAuth: {}
  config: { outgoingAuth: { source: inline, default: { type: obo, obo: { tokenUrl: u, clientSecret: hush } } } }`),
    ],
    ['LNT6001 warning 8:67 clientSecret holds a secret in the clear'],
  ],
  [
    'in headers',
    [
      object(
        'MCPServerEntry',
        '{ remoteUrl: https://a.example.com, transport: sse, groupRef: { name: tools }, headerForward: { addPlaintextHeaders: { Authorization: hush, x-api-key: hush, X-Auth-Token: hush } } }',
      ),
    ],
    [
      'LNT6001 warning 4:103 the header "Authorization" looks like a secret in the clear',
      'LNT6001 warning 4:103 the header "x-api-key" looks like a secret in the clear',
      'LNT6001 warning 4:103 the header "X-Auth-Token" looks like a secret in the clear',
    ],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(literalSecrets, ...objects)).toEqual(expected);
});
