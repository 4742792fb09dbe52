import type { Identity } from '../identity.ts';

/** How one backend learns who calls: one for each plan. It does not know what is sent. */
export interface OutgoingAuth {
  /** The credential depends on who calls: what one caller opened must not serve another. */
  readonly isPerCaller: boolean;
  /**
   * For requests that the gateway makes of its own accord, such as health probes; undefined where only a caller can have a
   * credential.
   *
   * Security: never for what a caller does, an anonymous one included. It may be the gateway's own account.
   */
  readonly own: Credential | undefined;
  /** The credential for what one caller does; `identity` gives the current caller, whose token may have been renewed. */
  credentialFor(identity: () => Identity): Credential;
  close(): Promise<void>;
}

/** What goes out with requests on behalf of one caller. */
export interface Credential {
  /**
   * Headers for one request, names and values alternate; they replace what else has set them. At once where that is known.
   *
   * @throws CredentialError, or rejects with it
   */
  headersFor(request: OutgoingRequest): readonly string[] | Promise<readonly string[]>;
  /**
   * The backend has answered 401. Forgets what was sent, unless that was obtained a moment ago.
   *
   * @param headers the very array that `headersFor` gave for the refused request: others may have been sent since
   * @returns whether another attempt would send something else: then one is made, never a second
   */
  rejected(headers: readonly string[]): boolean;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly body: string;
}

/** No credential can be had. The message names the strategy, the cause and what to do; never a token, key or password. */
export class CredentialError extends Error {
  readonly code = 'ERR_CREDENTIAL';
  /** `caller`: another login of the caller helps, so the caller is challenged. `gateway`: it does not. */
  readonly fault: 'caller' | 'gateway';

  constructor(fault: 'caller' | 'gateway', message: string) {
    super(message);
    this.name = 'CredentialError';
    this.fault = fault;
  }
}
