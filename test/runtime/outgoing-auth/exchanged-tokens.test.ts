/** token_exchange and obo end to end: which token a backend gets for which caller, and what it never gets. */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BackendPlan, OAuthClientPlan, OutgoingAuthPlan, TokenAuthPlan } from '#schemas';
import { backendPlan } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import {
  BACKEND_KINDS,
  CLIENT_KINDS,
  connect,
  decodeClaims,
  type GuardedBackend,
  type Received,
  startBackend,
  startServed,
} from './harness.ts';

vi.stubEnv('OUTGOING_SECRET', 'test secret: 50%');

let idp: IdentityProvider;
let incomingAuth: TokenAuthPlan;

beforeAll(async () => {
  idp = await startIdentityProvider();
  incomingAuth = authPlan([providerPlan(idp)]);
});

afterAll(() => idp.close());

const SECRET = { env: 'OUTGOING_SECRET', file: null };

const client = (): OAuthClientPlan => ({ id: idp.client.id, secret: SECRET });

function exchange(): OutgoingAuthPlan {
  return {
    type: 'token_exchange',
    tokenUrl: idp.tokenUrl,
    client: client(),
    audience: 'urn:backend',
    resource: null,
    scopes: ['mcp'],
    subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token',
    subject: { type: 'caller' },
  };
}

function obo(): OutgoingAuthPlan {
  return {
    type: 'obo',
    tokenUrl: idp.tokenUrl,
    client: client(),
    audience: 'urn:backend',
    scopes: ['mcp'],
    subject: { type: 'caller' },
    cacheSkewSeconds: 30,
  };
}

/** Rows of: the strategy's name, its plan, and the audience of the tokens that the provider issues. */
const STRATEGIES: readonly (readonly [name: string, plan: () => OutgoingAuthPlan, audience: string])[] = [
  ['token_exchange', exchange, 'urn:backend'],
  ['obo', obo, 'gateway'],
];

/** Accepts tokens that the provider issued for this backend. */
function guard(audience: string): GuardedBackend['check'] {
  const keys = createRemoteJWKSet(new URL(idp.jwksUrl));
  return async ({ headers }: Received) => {
    try {
      await jwtVerify(String(headers.authorization).replace(/^Bearer /, ''), keys, { issuer: idp.issuer, audience });
      return undefined;
    } catch {
      return 401;
    }
  };
}

const tokenOf = (sub: string) => idp.issue({ claims: { sub } });

const planOf = (backend: GuardedBackend, auth: OutgoingAuthPlan): BackendPlan =>
  backendPlan('s', backend.url, { auth });

describe.each(BACKEND_KINDS)('a backend of kind %s', backendKind => {
  describe.each(CLIENT_KINDS)('and a client of kind %s', clientKind => {
    test.each(STRATEGIES)(
      'two callers at the same time reach a backend with their own tokens, which the gateway gets by %s',
      async (_, auth, audience) => {
        const backend = await startBackend(backendKind, guard(audience));
        const { url } = await startServed({ backends: [planOf(backend, auth())], incomingAuth });
        const subjects = ['alice', 'bob'];
        const tokens = await Promise.all(subjects.map(sub => tokenOf(sub)));
        const clients = await Promise.all(
          tokens.map(token => connect(clientKind, url, () => ({ authorization: `Bearer ${token}` }))),
        );
        // Each caller's first list waits for backends that only answer callers.
        for (const one of clients) expect(await one.tools()).toContain('s_echo');
        const rounds = Array.from({ length: 8 }, (_, round) => round);
        await Promise.all(
          rounds.flatMap(round =>
            clients.map(async (one, index) => {
              const args = { who: subjects[index], round };
              expect(JSON.parse(await one.call('s_echo', args))).toEqual(args);
            }),
          ),
        );
        const calls = backend.calls();
        expect(calls).toHaveLength(16);
        const ownersOfSessions = new Map<string, Set<unknown>>();
        for (const { headers, body } of calls) {
          const { sub, aud, act } = decodeClaims(headers.authorization);
          expect(sub).toBe((JSON.parse(body) as { params: { arguments: { who: string } } }).params.arguments.who);
          expect(aud).toBe(audience);
          expect(act).toEqual({ sub: idp.client.id });
          const session = headers['mcp-session-id'];
          if (session === undefined) continue;
          ownersOfSessions.set(String(session), (ownersOfSessions.get(String(session)) ?? new Set()).add(sub));
        }
        for (const owners of ownersOfSessions.values()) expect(owners.size).toBe(1);
        expect(ownersOfSessions.size > 0).toBe(backendKind === 'sessions');
        // In no header of any request: probes, streams and ends of sessions included.
        const everything = JSON.stringify(backend.received);
        for (const token of tokens) expect(everything).not.toContain(token);
      },
    );
  });
});
