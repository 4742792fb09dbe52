/** Simulates authentication: a token is JSON with its owner and expiry, in base64url. */
import type { IncomingMessage } from 'node:http';
import { createIdentity, type Identity, NO_UPSTREAM_TOKENS } from '../../../runtime/auth/identity.ts';
import { AuthenticationError } from '../../../runtime/auth/incoming/authenticator.ts';
import type { RequestAuthenticator } from '../../../runtime/mcp/request-gate.ts';

export interface FakeToken {
  readonly sub: string;
  /** The issuer, by default `https://idp.example`. */
  readonly iss?: string;
  /** The expiry in seconds since 1970. */
  readonly exp?: number;
  readonly [claim: string]: unknown;
}

export function bearer(token: FakeToken): string {
  return `Bearer ${Buffer.from(JSON.stringify(token)).toString('base64url')}`;
}

export const CHALLENGE = 'Bearer realm="test", error="invalid_token"';

const known = new Map<string, Identity>();

/** The identity of a token; the same object for the same token, as in authenticators. */
export function identityIn(req: IncomingMessage): Identity {
  const header = req.headers.authorization;
  const [, text] = /^Bearer (.+)$/.exec(header ?? '') ?? [];
  if (text === undefined) throw unauthorized('invalid_request');
  const { exp, ...claims } = JSON.parse(Buffer.from(text, 'base64url').toString()) as FakeToken;
  const expiresAt = exp === undefined ? Number.MAX_SAFE_INTEGER : exp * 1000;
  if (expiresAt <= Date.now()) throw unauthorized('invalid_token');
  const identity =
    known.get(text) ??
    createIdentity({
      issuer: claims.iss ?? 'https://idp.example',
      subject: claims.sub,
      claims,
      expiresAt,
      token: text,
      upstreamTokens: NO_UPSTREAM_TOKENS,
    });
  known.set(text, identity);
  return identity;
}

function unauthorized(error: string): AuthenticationError {
  return new AuthenticationError(401, { error, error_description: 'no' }, CHALLENGE);
}

const challenge = (description: string): string => `${CHALLENGE}, error_description="${description}"`;

/** Authenticates the token synchronously. */
export const atOnce: RequestAuthenticator = { authenticate: identityIn, challenge };

/** Authenticates the token asynchronously, as if it had to query a provider first. */
export const later: RequestAuthenticator = {
  challenge,
  authenticate: async (req: IncomingMessage): Promise<Identity> => {
    await new Promise(resolve => setImmediate(resolve));
    return identityIn(req);
  },
};
