/** An issuer that an operator trusts: it publishes its keys, and signs whatever a test sets. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { TrustedIssuerPlan } from '#schemas';
import { startRawServer } from '../../support/raw-server.ts';

export interface TestIssuer {
  readonly origin: string;
  /** How often the issuer's keys were fetched. */
  readonly fetches: () => number;
  /** Whether the issuer responds at all. */
  answers: boolean;
  plan(more: Partial<TrustedIssuerPlan>): TrustedIssuerPlan;
  /** A token that is valid for five minutes, except for what a test changes. Undefined leaves a claim out. */
  sign(claims: JWTPayload, header?: object): Promise<string>;
  close(): Promise<void>;
}

export async function startTrustedIssuer(): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const server = await startRawServer(({ path }, out) => {
    const body = path === '/keys' ? { keys: [jwk] } : { issuer: issuer.origin, jwks_uri: `${issuer.origin}/keys` };
    if (!issuer.answers) out.writeHead(503).end();
    else out.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const issuer: TestIssuer = {
    origin: server.origin,
    fetches: () => server.requests.filter(({ path }) => path === '/keys').length,
    answers: true,
    plan: more => ({
      issuer: server.origin,
      keys: { type: 'discovery', url: `${server.origin}/.well-known/openid-configuration` },
      exchange: null,
      assertions: null,
      addresses: 'any',
      allowsHttp: true,
      ...more,
    }),
    sign: (claims, header = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: server.origin, sub: 'someone', iat: now, exp: now + 300, ...claims };
      return new SignJWT(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
        .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
        .sign(privateKey);
    },
    close: () => server.close(),
  };
  return issuer;
}
