import type { Identity } from '../identity.ts';

/** How one backend is told who calls: one for each plan. It does not know what is sent. */
export interface OutgoingAuth {
  /** The credential depends on who calls: what one caller opened must not serve another. */
  readonly isPerCaller: boolean;
  /** Whether a request without a caller (a health probe) can have a credential. */
  readonly hasOwnCredential: boolean;
  /** The credential for what one caller does; `identity` gives the caller of now, whose token may have been renewed. */
  credentialFor(identity: () => Identity): Credential;
  close(): Promise<void>;
}

/** What goes out with requests on behalf of one caller. */
export interface Credential {
  /**
   * Headers for one request, names and values in turn; they replace what else has set them. At once where that is known.
   *
   * @throws CredentialError, or rejects with it
   */
  headersFor(request: OutgoingRequest): readonly string[] | Promise<readonly string[]>;
  /**
   * The backend has answered 401. Forgets what was sent.
   *
   * @returns whether another attempt would send something else: then one is made, never a second
   */
  rejected(): boolean;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly body: string;
}

/** No credential can be had. The message names the strategy, the cause and what to do; never a token, key or password. */
export class CredentialError extends Error {
  /** `caller`: another login of the caller helps, so the caller is challenged. `gateway`: it does not. */
  readonly fault: 'caller' | 'gateway';

  constructor(fault: 'caller' | 'gateway', message: string) {
    super(message);
    this.name = 'CredentialError';
    this.fault = fault;
  }
}
