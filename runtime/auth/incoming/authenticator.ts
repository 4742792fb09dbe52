import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../identity.ts';

/** Authenticates requests. One per bundle, independent of what is served. */
export interface Authenticator {
  /**
   * Synchronous for a known token, the usual case.
   * @throws AuthenticationError, or rejects with it
   */
  authenticate(req: IncomingMessage): Identity | Promise<Identity>;
  /**
   * The `WWW-Authenticate` header that asks a caller to sign in again, when the token is valid here but no longer sufficient for a backend:
   * `error="invalid_token"`. Undefined when callers do not sign in.
   */
  challenge(description: string): string | undefined;
  /** Routes without a token that it serves itself: protected-resource metadata. */
  readonly routes: ReadonlyMap<string, (req: IncomingMessage, res: ServerResponse) => void>;
  /** The origin of the resource URL, under which clients know the server; undefined when unknown. */
  readonly publicOrigin?: string | undefined;
  /** For `/status`: one entry for each provider. */
  status(): readonly ProviderStatus[];
  /** Stops background work and closes connections. */
  close(): Promise<void>;
}

export interface ProviderStatus {
  readonly name: string;
  readonly issuer: string;
  /** Number of known keys; null for a provider without keys. */
  readonly keys: number | null;
  /** The last successful fetch of keys; RFC 3339, null for never. */
  readonly lastFetch: string | null;
  /** Why the last fetch failed; empty after a success. */
  readonly message: string;
  /** Why its current file of certificate authorities is not used; null when it is, or there is none. */
  readonly staleAuthorities: string | null;
}

/** A refused caller: status, challenge (RFC 6750, section 3) and JSON body of the response. */
export class AuthenticationError extends Error {
  /** 401, 403 for insufficient scope, 400 for a malformed request, or 503 when the provider is unavailable. */
  readonly status: number;
  /** The `WWW-Authenticate` header; without `error` for 503. */
  readonly challenge: string | undefined;
  /** JSON with `error` and `error_description`. */
  readonly body: string;

  constructor(
    status: number,
    body: { readonly error: string; readonly error_description: string },
    challenge?: string,
  ) {
    super(body.error_description);
    this.name = 'AuthenticationError';
    this.status = status;
    this.challenge = challenge;
    this.body = JSON.stringify(body);
  }
}
