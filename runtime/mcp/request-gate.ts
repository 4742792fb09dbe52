import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AuthGeneration, NEVER_SUPERSEDED } from '../auth/auth-generation.ts';
import { ANONYMOUS, type Identity } from '../auth/identity.ts';
import { AuthenticationError, type Authenticator } from '../auth/incoming/authenticator.ts';
import { respondToPreflight, showToPage } from '../http/cors.ts';
import { isJson } from '../http/media-type.ts';
import { HOST_REFUSED, isHostAllowed, isOriginAllowed, ORIGIN_REFUSED } from '../http/origin-check.ts';
import { BodyError, MAX_BODY_BYTES, readBody } from '../http/read-body.ts';
import type { Logger } from '../observe/log.ts';
import type { MessageContext } from './handler.ts';
import { createInvalidRequest, refuse, refuseCaller, toWireError } from './refuse.ts';
import type { RequestRecords } from './request-record.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The functions of an authenticator that an endpoint for clients needs. */
export interface RequestAuthenticator extends Pick<Authenticator, 'authenticate' | 'challenge' | 'publicOrigin'> {
  /** The current authentication settings. Default: settings that are never replaced. */
  readonly rules?: AuthGeneration;
}

export interface RequestGateOptions {
  readonly log: Logger;
  /** Limit on a request body, in bytes. Default 8 MiB. */
  readonly maxBodyBytes?: number;
  /** Web origins whose pages may call, in addition to the authenticator's public origin. A `Host` header may have their hosts. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Authenticates the sender of a request. Default: all requests have the same caller. */
  readonly authenticator?: RequestAuthenticator;
  /** Called for each refused request, with the HTTP status. */
  readonly onRefused?: (status: number) => void;
  /** Finds the record of a request for the audit log. Default: there is none. */
  readonly audit?: RequestRecords;
}

/** A session with an owner. */
export interface OwnedSession {
  /** `Identity.key` of the session's owner. Another caller cannot use the session, even with its id. */
  readonly owner: string;
  close(): void;
}

/** The common work of all endpoints for clients: they authenticate callers, read bodies, and answer errors. */
export class RequestGate {
  readonly #log: Logger;
  readonly #maxBodyBytes: number;
  readonly #allowedOrigins: readonly string[];
  readonly #authenticator: RequestAuthenticator;
  readonly #onRefused: (status: number) => void;
  readonly #audit: RequestRecords | undefined;

  constructor(options: RequestGateOptions) {
    this.#log = options.log;
    this.#maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
    this.#allowedOrigins = options.allowedOrigins ?? [];
    this.#authenticator = options.authenticator ?? OPEN_AUTHENTICATOR;
    this.#onRefused = options.onRefused ?? (() => {});
    this.#audit = options.audit;
  }

  /**
   * Permits a page to read the answer, if its origin may call. Returns true for a browser's preflight, which is answered without a token,
   * because preflights have none.
   * @param methods the methods of this address, as in the header `Allow`
   * @throws WireError with HTTP 403 for a page of another origin
   */
  handleCors(req: IncomingMessage, res: ServerResponse, methods: string): boolean {
    const { origin } = req.headers;
    if (origin === undefined) return false;
    this.#checkSource(req);
    showToPage(res, origin);
    return respondToPreflight(req, res, methods);
  }

  /**
   * Authenticates the sender of a request, usually synchronously. Called before the body is read.
   * @throws WireError with HTTP 403 for a request of a page of another origin
   * @throws AuthenticationError for a caller that is not admitted, or rejects with it
   */
  authenticate(req: IncomingMessage): MessageContext | Promise<MessageContext> {
    this.#checkSource(req);
    const { rules = NEVER_SUPERSEDED } = this.#authenticator;
    const identity = this.#authenticator.authenticate(req);
    if (!(identity instanceof Promise)) return this.#createContext(req, identity, rules);
    return identity.then(
      known => this.current(this.#createContext(req, known, rules)),
      error => {
        if (rules.isSuperseded) return this.authenticate(req);
        throw error;
      },
    );
  }

  #createContext(http: IncomingMessage, identity: Identity, rules: AuthGeneration): MessageContext {
    const record = this.#audit?.of(http);
    if (record !== undefined) record.identity = identity;
    return { http, identity, rules, record };
  }

  /**
   * Authenticates the sender again if the authentication settings have changed since `authenticate`; for use after a wait whose length the client
   * determines. Throws and rejects like `authenticate`.
   */
  current(context: MessageContext): MessageContext | Promise<MessageContext> {
    return context.rules.isSuperseded ? this.authenticate(context.http) : context;
  }

  /** A `WWW-Authenticate` header that requests a new login; undefined when there is none. */
  readonly challenge = (description: string): string | undefined => this.#authenticator.challenge(description);

  #checkSource(req: IncomingMessage): void {
    const { origin, host } = req.headers;
    const { localAddress } = req.socket;
    const { publicOrigin } = this.#authenticator;
    const at = { host, localAddress, allowed: this.#allowedOrigins, publicOrigin };
    if (!isOriginAllowed(origin, at)) throw new WireError(WIRE_CODE.refused, ORIGIN_REFUSED, { httpStatus: 403 });
    if (!isHostAllowed(at)) throw new WireError(WIRE_CODE.refused, HOST_REFUSED, { httpStatus: 403 });
  }

  /** Reads the body of a POST as text. As `readBody`. */
  readMessage(req: IncomingMessage, onText: (text: string) => void, onError: (error: BodyError) => void): void {
    readBody(req, { limit: this.#maxBodyBytes, onText, onError });
  }

  /** @throws WireError with HTTP 415. */
  checkContentType(req: IncomingMessage): void {
    if (!isJson(req.headers['content-type'])) throw createInvalidRequest(415, 'Content-Type must be application/json');
  }

  /**
   * Checks that the session belongs to the caller. If another caller sends the id of a session, the id has leaked, so the session ends.
   * @throws WireError with HTTP 403 for another caller. After a 401, this caller would sign in again, which would not help.
   */
  checkOwner({ key }: Identity, session: OwnedSession, id?: string): void {
    if (session.owner === key) return;
    session.close();
    this.#log.warn('a session was ended: a request in it came from another identity');
    const text = 'Unauthorized: the session belongs to another identity';
    throw new WireError(WIRE_CODE.refused, text, { httpStatus: 403 }).withId(id);
  }

  /** Calls the gateway core for a message without a response: a failure is only logged. */
  contain(what: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ err: error, what }, 'the gateway core failed');
    }
  }

  /** Converts an error for the client. The detail of an unexpected error is only logged. */
  toWireError(error: unknown): WireError {
    if (error instanceof WireError) return error;
    this.#log.error({ err: error }, 'a request failed unexpectedly');
    return new WireError(WIRE_CODE.internalError, 'internal error', { httpStatus: 500 });
  }

  /** @param allow the methods of this address, as in the header `Allow` */
  refuse(req: IncomingMessage, res: ServerResponse, error: unknown, allow: string): void {
    if (error instanceof BodyError && error.reason === 'aborted') return;
    const maxBodyBytes = this.#maxBodyBytes;
    if (error instanceof AuthenticationError) {
      this.#onRefused(error.status);
      refuseCaller(req, res, error, maxBodyBytes);
      return;
    }
    const refusal = toWireError(error) ?? this.toWireError(error);
    this.#onRefused(refusal.httpStatus);
    this.#audit?.of(req)?.refused(refusal.code, refusal.message);
    refuse(req, res, refusal, { maxBodyBytes, allow });
  }
}

const OPEN_AUTHENTICATOR: RequestAuthenticator = { authenticate: () => ANONYMOUS, challenge: () => undefined };
