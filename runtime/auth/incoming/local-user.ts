import { userInfo } from 'node:os';
import { createIdentity, type Identity, NO_UPSTREAM_TOKENS } from '../identity.ts';

/** The issuer of callers who are identified by their process. */
const LOCAL_ISSUER = 'lintel-local';

/** The user that runs this process. */
export function readLocalIdentity(): Identity {
  const subject = readUserName();
  return createIdentity({
    issuer: LOCAL_ISSUER,
    subject,
    claims: { iss: LOCAL_ISSUER, sub: subject, name: subject },
    expiresAt: Number.POSITIVE_INFINITY,
    token: null,
    upstreamTokens: NO_UPSTREAM_TOKENS,
  });
}

function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    // In containers, users often have a number only.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
