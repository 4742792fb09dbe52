/** Issues access tokens (RFC 9068) for token exchanges and assertions, that is, without a sign-in of a person. */
import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import type { SigningKey } from '../signing-keys.ts';

export interface DelegatedToken {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
  readonly client: string;
  readonly scopes: readonly string[];
  readonly lifeSeconds: number;
  /** Claims in addition to those that each access token has. */
  readonly more: Readonly<Record<string, unknown>>;
}

export async function issueToken(key: SigningKey, token: DelegatedToken): Promise<string> {
  const { issuer, subject, audience, client, scopes, lifeSeconds, more } = token;
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    ...more,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    client_id: client,
    jti: randomUUID(),
  })
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setSubject(subject)
    .setAudience([audience])
    .setIssuedAt(now)
    .setExpirationTime(now + lifeSeconds)
    .sign(await importJWK(key.jwk, key.algorithm));
}
