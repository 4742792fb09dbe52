import type { Identity } from '../identity.ts';

/** The outgoing authentication of one backend. It does not depend on the messages that are sent. */
export interface OutgoingAuth {
  /** Whether the credential depends on the caller: connections and sessions of one caller must not serve another. */
  readonly isPerCaller: boolean;
  /**
   * The credential for the gateway's own requests, such as health probes; undefined when only callers can have a credential.
   *
   * Security: never use it for a caller's request, not even an anonymous caller's, because it may belong to the gateway's own account.
   */
  readonly own: Credential | undefined;
  /** The credential for a caller's requests; `identity` returns the current caller, whose token may have been renewed. */
  getCredential(identity: () => Identity): Credential;
  close(): Promise<void>;
}

/** The credential for requests on behalf of one caller. */
export interface Credential {
  /**
   * Headers for one request, names and values alternating; they replace existing ones. Synchronous when cached.
   * @throws CredentialError, or rejects with it
   */
  getHeaders(request: OutgoingRequest): readonly string[] | Promise<readonly string[]>;
  /**
   * The backend answered 401. Drops the credential, unless it was obtained a moment ago.
   *
   * @param headers the array that `getHeaders` returned for the refused request; by now `getHeaders` may return another credential
   * @returns whether a second attempt would send another credential: then the request is sent exactly once more
   */
  rejected(headers: readonly string[]): boolean;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly body: string;
}

/** No credential is available. The message names the strategy, the cause and what to do; never a token, key or password. */
export class CredentialError extends Error {
  readonly code = 'ERR_CREDENTIAL';
  /** `caller`: the caller can help by signing in again, so the gateway sends a challenge. `gateway`: signing in again does not help. */
  readonly fault: 'caller' | 'gateway';

  constructor(fault: 'caller' | 'gateway', message: string) {
    super(message);
    this.name = 'CredentialError';
    this.fault = fault;
  }
}
