/** The identity provider of the benchmark: it serves a key set on loopback, and has the signing keys. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { TokenAuthPlan } from '#schemas';
import { AUDIENCE, signTokens, type TokenOrder } from './tokens.ts';

export const ALGORITHMS = ['RS256', 'ES256'] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

export interface TokenIssuer extends AsyncDisposable {
  /** The plan of a gateway that accepts this issuer's tokens. */
  readonly plan: TokenAuthPlan;
  /** A token with a forged signature. */
  order(algorithm: Algorithm, count: number, subject?: string): TokenOrder;
  token(subject: string): Promise<string>;
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const keys = await Promise.all(
    ALGORITHMS.map(async (alg): Promise<JWK> => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `bench-${alg}` };
    }),
  );
  const publicKeys = keys.map(({ d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...rest }) => rest);
  const json = JSON.stringify({ keys: publicKeys });
  const server = createServer((_, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(json));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const order = (algorithm: Algorithm, count: number, subject?: string): TokenOrder => ({
    issuer,
    key: keys[ALGORITHMS.indexOf(algorithm)] as JWK,
    count,
    ...(subject === undefined ? {} : { subject }),
  });
  return {
    plan: planOf(issuer),
    order,
    token: async subject => (await signTokens(order('RS256', 1, subject)))[0] as string,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function planOf(issuer: string): TokenAuthPlan {
  return {
    type: 'oidc',
    realm: 'bench',
    requiredScopes: ['mcp:read'],
    resourceMetadata: null,
    providers: [
      {
        name: 'bench',
        issuer,
        audience: AUDIENCE,
        keys: { type: 'jwks', url: `${issuer}/jwks` },
        keysToken: null,
        introspection: null,
        trust: { type: 'default' },
        addresses: 'any',
        allowsHttp: true,
      },
    ],
  };
}
