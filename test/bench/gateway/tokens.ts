/** Tokens of the benchmark's identity provider, signed before the requests. */
import { randomUUID } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';

export const AUDIENCE = 'https://gateway.bench.example/mcp';

/** Describes a number of tokens, all of which differ. */
export interface TokenOrder {
  readonly issuer: string;
  /** The private key. */
  readonly key: JWK;
  readonly count: number;
  /** Undefined: each token has another subject. */
  readonly subject?: string;
  /** Claims in addition to those that all tokens have. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The number of concurrent signatures, which is enough to keep the thread pool busy. */
const BATCH = 64;

/** Signs tokens with as many claims as those of large providers. */
export async function signTokens({ issuer, key, count, subject, claims }: TokenOrder): Promise<string[]> {
  const { alg, kid } = key as { alg: string; kid: string };
  const privateKey = await importJWK(key, alg);
  const sign = () => {
    const id = randomUUID();
    const sub = subject ?? `user-${id}`;
    return new SignJWT({
      scope: 'openid profile mcp:read mcp:write',
      groups: ['engineering', 'team-platform', 'team-search', 'on-call', 'everybody'],
      department: 'engineering',
      tier: 'gold',
      name: 'Somebody With A Name',
      email: `${sub}@bench.example`,
      email_verified: true,
      azp: 'bench-client',
      ...claims,
    })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setSubject(sub)
      .setJti(id)
      .setIssuedAt()
      .setNotBefore('0s')
      .setExpirationTime('2h')
      .sign(privateKey);
  };
  const tokens: string[] = [];
  while (tokens.length < count) {
    const batch = Math.min(BATCH, count - tokens.length);
    tokens.push(...(await Promise.all(Array.from({ length: batch }, sign))));
  }
  return tokens;
}
