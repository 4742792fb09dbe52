/** The parts of a request to a backend besides its message: the caller's credential, and headers. */
import type { BackendPlan, PrivateDenial } from '#schemas';
import type { Credential, OutgoingAuth } from '../../auth/outgoing/credential.ts';
import { type OutgoingHeaders, withCredential } from '../../auth/outgoing/credential-sender.ts';
import { createHeaderForwarding, type HeaderForwarding } from '../../auth/outgoing/header-forwarding.ts';
import { createOutgoingAuth } from '../../auth/outgoing/outgoing-auth.ts';
import { Secrets } from '../../auth/secrets.ts';
import type { HttpClient } from '../../http/client.ts';
import type { Logger } from '../../observe/log.ts';
import type { Sender } from './sender.ts';

/** A credential that sends nothing. */
const NOTHING: Credential = { getHeaders: () => [], rejected: () => false };

export class BackendCredentials {
  /** Whether only callers have credentials, or each caller has its own: a backend that refuses the gateway itself then still counts as available. */
  readonly isPerCaller: boolean;
  /** Whether each caller needs connections and sessions of its own, which must not serve another caller. */
  readonly keepsApart: boolean;
  /** Whether the gateway has an account of its own at the backend. */
  readonly hasOwn: boolean;
  readonly #auth: OutgoingAuth;
  readonly #forwarding: HeaderForwarding;
  readonly #secrets: Secrets;
  readonly #outgoing = new WeakMap<Sender, OutgoingHeaders>();

  private constructor(auth: OutgoingAuth, forwarding: HeaderForwarding, secrets: Secrets, isPassing: boolean) {
    this.isPerCaller = auth.isPerCaller;
    this.keepsApart = auth.isPerCaller || isPassing;
    this.hasOwn = auth.own !== undefined;
    this.#auth = auth;
    this.#forwarding = forwarding;
    this.#secrets = secrets;
  }

  /**
   * Reads the secrets of a plan and follows their changes. Requests no token yet.
   * @param passed names of the client's headers to forward
   * @throws SecretError, CredentialError or HeaderForwardingError for an invalid plan
   */
  static async open(
    plan: BackendPlan,
    passed: readonly string[],
    log: Logger,
    denial?: PrivateDenial,
  ): Promise<BackendCredentials> {
    const { name: backend, auth: authPlan, headers } = plan;
    const secrets = new Secrets({ log });
    let auth: OutgoingAuth | undefined;
    try {
      auth = await createOutgoingAuth(authPlan, { backend, secrets, log, denial });
      const forwarding = createHeaderForwarding(headers, passed, (source, what) =>
        secrets.open(source, `${what} for backend ${JSON.stringify(backend)}`),
      );
      return new BackendCredentials(auth, forwarding, secrets, passed.length > 0);
    } catch (error) {
      await auth?.close();
      secrets.close();
      throw error;
    }
  }

  /**
   * The same client, for requests on behalf of a caller: that is the request's own sender if it has one, otherwise
   * the current sender.
   *
   * Security: the caller is fixed when the request starts, so that a concurrent request of the same session cannot change it
   * during a token exchange or a second attempt.
   */
  createClient(client: HttpClient, sender: () => Sender): HttpClient {
    return withCredential(client, own => this.#getOutgoing((own as Sender | undefined) ?? sender()));
  }

  /** The same client, for the gateway's own requests. */
  ownClient(client: HttpClient): HttpClient {
    const outgoing: OutgoingHeaders = {
      credential: this.#auth.own ?? NOTHING,
      forwarded: () => this.#forwarding.getHeaders(undefined),
    };
    return withCredential(client, () => outgoing);
  }

  #getOutgoing(sender: Sender): OutgoingHeaders {
    const known = this.#outgoing.get(sender);
    if (known !== undefined) return known;
    const outgoing: OutgoingHeaders = {
      credential: this.#auth.getCredential(() => sender.identity),
      forwarded: () => this.#forwarding.getHeaders(sender.passed),
    };
    this.#outgoing.set(sender, outgoing);
    return outgoing;
  }

  async close(): Promise<void> {
    this.#secrets.close();
    await this.#auth.close();
  }
}
