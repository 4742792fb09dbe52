/** How `lintel exposure` describes which callers a gateway admits. */
import { expect, test } from 'vitest';
import { describeAuthentication } from '../../../compiler/analysis/exposure/authentication.ts';
import { formatAuthentication } from '../../../compiler/analysis/exposure/render/words.ts';
import { entries, models, object } from '../../support/gateway-rule.ts';
import { gateway } from '../../support/rule.ts';

const CORP = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://auth.example.com" } }', 'corp');
const written = (more: string) =>
  `config: { incomingAuth: { type: oidc, oidc: { issuer: "https://id.example.com", clientId: c, audience: mcp${more} } } }`;

test.each([
  ['incomingAuth: { type: anonymous }', 'anyone who can connect'],
  ['config: { incomingAuth: { type: local } }', 'anyone on the machine itself, as the user who runs the gateway'],
  [
    'incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp, scopes: [shown] } }',
    'callers with a token of https://auth.example.com for mcp',
  ],
  [written(''), 'callers with a token of https://id.example.com for mcp'],
  [written(', scopes: [read]'), 'callers with a token of https://id.example.com for mcp, with scope read'],
  [
    written(', scopes: [read, write]'),
    'callers with a token of https://id.example.com for mcp, with scopes read write',
  ],
  [`incomingAuth: { type: anonymous }\n  ${written('')}`, 'anyone who can connect'],
])('the report of `lintel exposure` says in words which callers a gateway accepts: %s', (fields, expected) => {
  const [model] = models([gateway(fields), CORP, entries('jira')]);
  expect(model && formatAuthentication(describeAuthentication(model))).toBe(expected);
});
