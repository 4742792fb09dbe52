import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../identity.ts';

/** Authenticates requests. One per bundle; gateways and registry servers use the same code. */
export interface Authenticator {
  /**
   * The caller of a request. Synchronous for a token in the cache, which is the usual case.
   * @throws AuthenticationError, or rejects with it
   */
  authenticate(req: IncomingMessage): Identity | Promise<Identity>;
  /**
   * The `WWW-Authenticate` header (`error="invalid_token"`) that asks a caller to sign in again, because the token is valid here, but gives no
   * credential for a backend any more. Undefined if callers do not sign in.
   */
  challenge(description: string): string | undefined;
  /** The routes that the authenticator serves itself, to requests without a token: protected-resource metadata. */
  readonly routes: ReadonlyMap<string, (req: IncomingMessage, res: ServerResponse) => void>;
  /** The origin of the resource URL, which clients use to reach this server; undefined if the plan has no resource URL. */
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
  /** Why the current content of the provider's file of certificate authorities is not used; null if it is used, or if there is no file. */
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
