import { UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { createLogger } from '#runtime';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { toUpstreamCaller } from '../../../runtime/auth/authorization/upstream-caller.ts';
import {
  type AuthenticatedCaller,
  createIdentity,
  NO_UPSTREAM_TOKENS,
  type UpstreamToken,
} from '../../../runtime/auth/identity.ts';
import { HeldTokens } from '../../support/held-tokens.ts';
import { cedarPlan } from './plans.ts';

const jwt = (claims: Record<string, unknown>) => new UnsecuredJWT(claims).encode();
const token = (accessToken: string, idToken: string | null = null): UpstreamToken => ({
  accessToken,
  idToken,
  expiresAt: null,
});

function callerWith(upstreamTokens: AuthenticatedCaller['upstreamTokens']): AuthenticatedCaller {
  return { issuer: 'i', subject: 'own', claims: { sub: 'own', own: true }, expiresAt: 0, token: null, upstreamTokens };
}

const OWN = { subject: 'own', claims: { sub: 'own', own: true } };

test.each<[string, UpstreamToken | undefined, ReturnType<typeof toUpstreamCaller>]>([
  ['no token', undefined, undefined],
  ['a JWT', token(jwt({ sub: 'a', x: 1 })), { subject: 'a', claims: { sub: 'a', x: 1 } }],
  ['a JWT without a subject', token(jwt({ x: 1 })), undefined],
  ['a JWT with an empty subject', token(jwt({ sub: '' })), undefined],
  ['a JWT whose subject is an object', token(jwt({ sub: { __entity: 1 } } as never)), undefined],
  [
    'the name claims of the ID token, where the access token has none',
    token(jwt({ sub: 'a', name: 'A' }), jwt({ sub: 'other', name: 'B', email: 'b@example.com', admin: true })),
    { subject: 'a', claims: { sub: 'a', name: 'A', email: 'b@example.com' } },
  ],
  ['an opaque token', token('gho_1234'), OWN],
  ['an opaque token with two dots', token('v1.local.text'), OWN],
  ['a JWT of four parts', token(`${jwt({ sub: 'a' })}.x`), OWN],
  ['an encrypted JWT', token('eyJhbGciOiJkaXIifQ..a.b.c'), OWN],
  [
    'a JWT whose claims are a list',
    token(`${jwt({}).split('.')[0]}.${Buffer.from('[1]').toString('base64url')}.`),
    OWN,
  ],
])(
  'Cedar policies see the subject and claims of the upstream token, or of the token of the caller if the upstream token has none: %s',
  (_, upstream, expected) => {
    expect(toUpstreamCaller(callerWith(NO_UPSTREAM_TOKENS), upstream)).toEqual(expected);
  },
);

test('Cedar decisions change when the token of an upstream is renewed with other claims, and deny when the token is gone', () => {
  const tokens = new HeldTokens([['up', token(jwt({ sub: 'a', groups: ['staff'] }))]]);
  const identity = createIdentity(callerWith(tokens));
  const plan = cedarPlan(['permit(principal in Group::"staff", action, resource);'], { primaryUpstream: 'up' });
  const authorizer = createAuthorizer(plan, createLogger('silent'));
  const isLetIn = () => authorizer.getAccess(identity).mayCall('call_tool', { name: 't' }, () => ({}));
  expect([isLetIn(), isLetIn()]).toEqual([true, true]);
  tokens.set('up', token(jwt({ sub: 'a', groups: [] })));
  expect(isLetIn()).toBe(false);
  tokens.set('up', token(jwt({ sub: 'b', groups: ['staff'] })));
  expect(isLetIn()).toBe(true);
  tokens.delete('up');
  expect(isLetIn()).toBe(false);
  expect(authorizer.errorCount).toBe(1);
});
