import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../identity.ts';

/** Finds out who sends a request. One for each bundle; it does not know what is served behind it. */
export interface Authenticator {
  /**
   * At once where the token is known already, which is the usual case.
   *
   * @throws AuthenticationError, or rejects with it
   */
  authenticate(req: IncomingMessage): Identity | Promise<Identity>;
  /**
   * The `WWW-Authenticate` header that asks a caller to log in again whose token is good here and no longer enough behind:
   * `error="invalid_token"`. Undefined where callers need no login, so that asking would lead nowhere.
   */
  challenge(description: string): string | undefined;
  /** Paths that it answers itself, without a token: protected-resource metadata. */
  readonly routes: ReadonlyMap<string, (req: IncomingMessage, res: ServerResponse) => void>;
  /** The origin of the URL that tokens are for, under which clients know the server; undefined where it is not known. */
  readonly publicOrigin?: string | undefined;
  /** For `/status`: one entry for each provider. */
  status(): readonly ProviderStatus[];
  /** Stops what goes on in the background and breaks connections. */
  close(): Promise<void>;
}

export interface ProviderStatus {
  readonly name: string;
  readonly issuer: string;
  /** How many keys are known; null for a provider without. */
  readonly keys: number | null;
  /** When keys were fetched last with success; RFC 3339, null for never. */
  readonly lastFetch: string | null;
  /** Why the last fetch failed; empty when it did not. */
  readonly message: string;
  /** Why its file of certificate authorities does not count as it is now; null when it does, or there is none. */
  readonly staleAuthorities: string | null;
}

/** A caller that is not let in: status, challenge (RFC 6750, section 3) and JSON body as they go out. */
export class AuthenticationError extends Error {
  /** 401, 403 for too little scope, 400 for a malformed request, or 503 when the provider cannot be asked. */
  readonly status: number;
  /** The `WWW-Authenticate` header; with no `error` in it for 503. */
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
