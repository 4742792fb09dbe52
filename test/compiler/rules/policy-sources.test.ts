import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const fromMap = gateway('incomingAuth: { type: oidc, authzConfig: { type: configMap, configMap: { name: p } } }');
const map = (text: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: p }\ndata: { authz.json: '${text}' }\n`;
const shared = gateway('incomingAuth: { type: oidc, authzConfigRef: { name: it } }');

test.each<[string, string[], string[]]>([
  [
    'policies in a ConfigMap and in an MCPAuthzConfig',
    [
      fromMap,
      map('{"version":"1.0","type":"cedarv1","cedar":{"policies":["p"]}}'),
      shared,
      object('MCPAuthzConfig', '{ type: cedarv1, config: { policies: [p] } }'),
    ],
    [],
  ],
  ['a ConfigMap outside of the sources', [fromMap], []],
  [
    'a ConfigMap key that is not JSON',
    [fromMap, map('{')],
    ['LNT5006 error 6:82 ConfigMap "p", key "authz.json": not JSON'],
  ],
  [
    'a ConfigMap key that is no JSON object',
    [fromMap, map('[]')],
    ['LNT5006 error 6:82 ConfigMap "p", key "authz.json": not a JSON object'],
  ],
  [
    'a ConfigMap of another policy engine',
    [fromMap, map('{"type":"opa"}')],
    ['LNT5006 error 6:82 ConfigMap "p", key "authz.json": the type is not "cedarv1"'],
  ],
  [
    'a ConfigMap without policies',
    [fromMap, map('{"type":"cedarv1","cedar":{"policies":[]}}')],
    ['LNT5006 error 6:82 ConfigMap "p", key "authz.json": cedar.policies: no policies'],
  ],
  [
    'a policy that is no text, and settings of another engine',
    [
      fromMap,
      map('{"type":"cedarv1","cedar":{"policies":["p",5]}}'),
      object('MCPAuthzConfig', '{ type: cedarv1, config: { policies: [p], entities_json: [] } }'),
      object('MCPAuthzConfig', '{ type: cedarv1, config: { policies: [p], multi_valued_claims: scope } }'),
    ],
    [
      'LNT5006 error 6:82 ConfigMap "p", key "authz.json": cedar.policies: expected a list of texts',
      'LNT5006 error 16:64 config.entities_json: expected a text',
      'LNT5006 error 21:70 config.multi_valued_claims: expected a list of texts',
    ],
  ],
  [
    'an MCPAuthzConfig without policies',
    [object('MCPAuthzConfig', '{ type: cedarv1, config: { policies: [] } }')],
    ['LNT5006 error 4:44 config.policies: no policies'],
  ],
  [
    'an MCPAuthzConfig of another policy engine',
    [shared, object('MCPAuthzConfig', '{ type: opa, config: {} }')],
    ['LNT2003 error 6:55 MCPAuthzConfig "it" is of type "opa"; a gateway reads cedarv1 only'],
  ],
])('the rule policySources gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('policySources', ...objects)).toEqual(expected);
});
