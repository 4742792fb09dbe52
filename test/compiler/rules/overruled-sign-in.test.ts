import { expect, test } from 'vitest';
import { findings, gateway, judge, object } from '../../support/rule.ts';

const CORP = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://auth.example.com" } }', 'corp');
const OIDC = '{ type: oidc, oidcConfigRef: { name: corp, audience: mcp } }';
const both = (spec: string, config: string) => gateway(`incomingAuth: ${spec}\n  config: { incomingAuth: ${config} }`);
const written = (issuer: string, more = '') =>
  `{ type: oidc, oidc: { issuer: "https://${issuer}.example.com", clientId: c, audience: mcp${more} } }`;

test.each<[string, string[], string[]]>([
  [
    'one incomingAuth block',
    [gateway(`incomingAuth: ${OIDC}`), gateway(`config: { incomingAuth: ${written('id')} }`, 'b')],
    [],
  ],
  ['two blocks for the same callers', [both(OIDC, written('auth')), CORP], []],
  ['two blocks for anonymous callers', [both('{ type: anonymous }', '{ type: anonymous }')], []],
  ['a stricter block in spec', [both(OIDC, '{ type: anonymous }'), CORP], []],
  ['an issuer that is not in the sources', [both(OIDC, written('id'))], []],
  [
    'anonymous callers in spec and tokens in spec.config',
    [both('{ type: anonymous }', written('id'))],
    [
      'LNT4026 warning 7:35 every caller may use the gateway: this block lets in only callers with tokens, but spec.incomingAuth takes precedence, and its type is anonymous',
    ],
  ],
  [
    'anonymous callers in spec and the local user in spec.config',
    [both('{ type: anonymous }', '{ type: local }')],
    [
      'LNT4026 warning 7:35 every caller may use the gateway: this block lets in only the user of the machine, but spec.incomingAuth takes precedence, and its type is anonymous',
    ],
  ],
  [
    'tokens of another issuer in spec.config',
    [both(OIDC, written('id')), CORP],
    [
      'LNT4026 warning 7:47 the gateway accepts tokens of "https://auth.example.com" for "mcp", as spec.incomingAuth says, and not the tokens of this block',
    ],
  ],
  [
    'scopes in spec.config only',
    [both(OIDC, written('auth', ', scopes: [read, write]')), CORP],
    [
      'LNT4026 warning 7:121 tokens without the scope "read write" are accepted: spec.incomingAuth takes precedence, and it requires no scope',
    ],
  ],
  [
    'policies in spec.config only',
    [
      both(OIDC, '{ type: anonymous, authz: { type: cedar, policies: ["permit(principal, action, resource);"] } }'),
      both(
        '{ type: anonymous, authzConfigRef: { name: p } }',
        '{ type: anonymous, authz: { type: cedar, policies: ["permit(principal, action, resource);"] } }',
      ),
      CORP,
    ],
    [
      'LNT4026 warning 7:53 every caller may call everything: spec.incomingAuth takes precedence, and it has no policies',
    ],
  ],
])('the rule overruledSignIn gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('overruledSignIn', ...objects)).toEqual(expected);
});

test('LNT4026, about a config.incomingAuth without effect, refers to the spec.incomingAuth that takes precedence', () => {
  const [found] = findings('overruledSignIn', both('{ type: anonymous }', written('id')));
  expect(found?.related?.map(({ message, range: { start } }) => `${start.line}:${start.column} ${message}`)).toEqual([
    '6:25 this block takes precedence',
  ]);
});
