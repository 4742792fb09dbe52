import { expect, test } from 'vitest';
import type { IncomingAuthPlan, TokenProviderPlan } from '#schemas';
import { authenticateCaller, toAdmittingServer } from '../../../compiler/analysis/access/admission.ts';
import type { Claims } from '../../../compiler/analysis/access/index.ts';
import { readLocalIdentity } from '../../../runtime/auth/incoming/local-user.ts';
import { models, object } from '../../support/gateway-rule.ts';

const PROVIDER: TokenProviderPlan = {
  name: 'corp',
  issuer: 'https://id.example.com',
  audience: 'mcp',
  keys: { type: 'discovery', url: 'https://id.example.com/.well-known/openid-configuration' },
  keysToken: null,
  introspection: null,
  trust: { type: 'default' },
  addresses: 'public',
  allowsHttp: false,
};

const NOW = Date.UTC(2026, 0, 1);

const TOKEN = { iss: 'https://id.example.com', aud: 'mcp', exp: NOW / 1000 + 60, sub: 'ann', scope: 'mcp' };

function admission(incomingAuth: IncomingAuthPlan, claims: Claims | undefined, user = 'joe') {
  const [model] = models([
    object('MCPGroup', '{}', 'tools'),
    object('VirtualMCPServer', '{ groupRef: { name: tools }, incomingAuth: { type: anonymous } }', 'eng'),
  ]);
  if (model === undefined) throw new Error('there is no gateway');
  return authenticateCaller({ ...toAdmittingServer(model), incomingAuth }, claims, { now: NOW, user });
}

function oidc(requiredScopes: readonly string[] = [], providers = [PROVIDER]): IncomingAuthPlan {
  return { type: 'oidc', realm: 'corp', providers, requiredScopes, resourceMetadata: null };
}

test.each<[name: string, auth: IncomingAuthPlan, claims: Claims | undefined, refusals: readonly string[]]>([
  ['a token that the provider accepts', oidc(['mcp']), TOKEN, []],
  ['a token with a list of audiences', oidc(), { ...TOKEN, aud: ['other', 'mcp'] }, []],
  [
    'a token of the second of two providers',
    oidc([], [{ ...PROVIDER, issuer: 'https://other.example.com' }, PROVIDER]),
    TOKEN,
    [],
  ],
  ['no token', oidc(), undefined, ['the gateway requires a token, and the caller has none']],
  ['a token without a subject', oidc(), { ...TOKEN, sub: '' }, ['the claims name no subject: "sub" must be a text']],
  [
    'an issuer with a slash at the end',
    oidc(),
    { ...TOKEN, iss: 'https://id.example.com/' },
    [
      'the issuer is "https://id.example.com/", and the gateway accepts only tokens of "https://id.example.com", compared byte for byte',
    ],
  ],
  [
    'a token for another audience',
    oidc(),
    { ...TOKEN, aud: 'Mcp' },
    ['the audience is "Mcp", and the gateway accepts only tokens for "mcp"'],
  ],
  [
    'an audience that is no text',
    oidc(),
    { ...TOKEN, aud: ['mcp', 7] },
    ['the audience is "mcp", the integer 7, and the gateway accepts only tokens for "mcp"'],
  ],
  [
    'the audience of another provider',
    oidc([], [{ ...PROVIDER, issuer: 'https://other.example.com', audience: 'theirs' }, PROVIDER]),
    { ...TOKEN, aud: 'theirs' },
    ['the audience is "theirs", and the gateway accepts only tokens for "mcp"'],
  ],
  ['a token that lacks a required scope', oidc(['mcp', 'admin']), TOKEN, ['the scopes lack "admin"']],
  ['scopes in a list', oidc(['mcp', 'admin']), { ...TOKEN, scope: undefined, scp: ['admin', 'mcp'] }, []],
  [
    'a token that is bound to a key',
    oidc(),
    { ...TOKEN, cnf: {} },
    ['the token is bound to a key (cnf), which is not supported'],
  ],
  ['any caller of an anonymous gateway', { type: 'anonymous' }, undefined, []],
  ['any caller on the machine of a local gateway', { type: 'local' }, undefined, []],
])('`lintel can` says whether and why a gateway refuses a token: %s', (_, auth, claims, refusals) => {
  expect(admission(auth, claims).refusals).toEqual(refusals);
});

test.each<[name: string, auth: IncomingAuthPlan, claims: Claims | undefined, notes: readonly string[]]>([
  ['a complete token', oidc(['mcp']), TOKEN, []],
  ['a persona with few claims', oidc(['mcp']), { sub: 'ann' }, []],
  [
    'a token that has expired',
    oidc(),
    { ...TOKEN, exp: NOW / 1000 },
    ['a token with these claims has expired: 2026-01-01T00:00:00.000Z'],
  ],
  [
    'a token that expired before any date',
    oidc(),
    { ...TOKEN, exp: -1e300 },
    ['a token with these claims has expired'],
  ],
  [
    'a token that is not valid yet',
    oidc(),
    { ...TOKEN, nbf: NOW / 1000 + 1 },
    ['a token with these claims is not valid yet: 2026-01-01T00:00:01.000Z'],
  ],
  [
    'claims for a gateway without authentication',
    { type: 'anonymous' },
    TOKEN,
    ['the gateway authenticates no caller, so claims have no effect'],
  ],
])('`lintel can` comments on claims: %s', (_, auth, claims, notes) => {
  expect(admission(auth, claims)).toMatchObject({ refusals: [], notes });
});

test('`lintel can` evaluates policies with the claims, the anonymous caller or the local user that a gateway would use', () => {
  expect(admission(oidc(), TOKEN).caller).toEqual({ subject: 'ann', claims: TOKEN });
  const { iss, ...persona } = TOKEN;
  expect(admission(oidc(), persona).caller?.claims).toEqual(TOKEN);
  expect(
    admission(oidc([], [PROVIDER, { ...PROVIDER, issuer: 'https://other.example.com' }]), persona).caller?.claims,
  ).toEqual(persona);
  expect(
    admission(
      oidc(
        [],
        [{ ...PROVIDER, introspection: { url: 'https://id.example.com/introspect', credentials: { type: 'none' } } }],
      ),
      persona,
    ).caller?.claims,
  ).toEqual(persona);
  expect(admission({ type: 'anonymous' }, TOKEN).caller).toBeUndefined();
  const { caller } = readLocalIdentity();
  const local = admission({ type: 'local' }, undefined, caller?.subject).caller;
  expect(local).toEqual({ subject: caller?.subject, claims: caller?.claims });
  expect(admission({ type: 'local' }, { sub: 'eve' }).caller?.subject).toBe('eve');
});
