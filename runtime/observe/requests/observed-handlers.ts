/** Wraps the gateway core for the endpoints for clients, and measures each request that passes. */
import type { ClientSession, InitializeOutcome, InitializeRequest, McpHandler } from '../../mcp/handler.ts';
import type { StatelessHandler } from '../../mcp/stateless/handler.ts';
import { WireError } from '../../mcp/wire-error.ts';
import { Histogram } from '../metrics/histogram.ts';
import { ObservedResponder } from './observed-responder.ts';
import { type ClientTransport, RequestCounts } from './request-counts.ts';
import type { Tracing } from './tracing.ts';

/** An error of the gateway itself: the client gets an internal error. */
const INTERNAL = 'internal';

/** The session could not be stored, or its client had disconnected. */
const NOT_OPENED = 'not_opened';

/** Bounds of the durations of sessions, in seconds: a session may last for days. */
const SESSION_BOUNDS: readonly number[] = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 14_400, 86_400];

export class RequestObserver {
  readonly counts: RequestCounts = new RequestCounts();
  readonly sessionSeconds: Histogram = new Histogram(SESSION_BOUNDS);
  /** Whether metrics also have the attribute names from before the semantic conventions for MCP. */
  useLegacyAttributes = true;
  /** Undefined while requests are not traced. */
  tracing: Tracing | undefined;
  readonly #openedAt = new WeakMap<object, number>();
  /** By the gateway core's state of the session: the function that ends the measurement of its `initialize` request. */
  readonly #initializing = new WeakMap<object, (errorType: string) => void>();

  /** Measures the requests in sessions of one transport. */
  observeSessions<S>(handler: McpHandler<S>, transport: ClientTransport): McpHandler<S> {
    return {
      ...handler,
      initialize: request => this.#initialize(handler, request, transport),
      opened: session => {
        this.#initialized(session.payload, '');
        this.#openedAt.set(session, performance.now());
        handler.opened?.(session);
      },
      closed: (session, isLeft) => {
        this.#initialized(session.payload, NOT_OPENED);
        this.#closed(session);
        handler.closed(session, isLeft);
      },
      request: (session, envelope, answer, context) => {
        const { method } = envelope;
        const { protocolVersion: revision, id: sessionId } = session;
        const trace = this.tracing?.begin({ envelope, context, revision, transport, sessionId });
        const observed = new ObservedResponder(answer, { method, revision, transport }, this.counts, trace);
        try {
          handler.request(session, envelope, observed, context);
        } catch (error) {
          observed.failed(error);
          throw error;
        }
      },
      notification: (session, envelope, context) => {
        const startedAt = performance.now();
        handler.notification(session, envelope, context);
        this.#add(envelope.method, session.protocolVersion, transport, startedAt, '');
      },
    };
  }

  /** Measures the requests of the stateless revision. */
  observeStateless(handler: StatelessHandler): StatelessHandler {
    const transport = 'streamable-http';
    return {
      get serverInfo() {
        return handler.serverInfo;
      },
      onlyReads: envelope => handler.onlyReads?.(envelope) === true,
      discover: caller => {
        const startedAt = performance.now();
        const members = handler.discover(caller);
        this.#add('server/discover', caller.protocolVersion, transport, startedAt, '');
        return members;
      },
      request: (caller, envelope, answer, context) => {
        const { protocolVersion: revision } = caller;
        const request = { method: envelope.method, revision, transport } as const;
        const trace = this.tracing?.begin({ envelope, context, revision, transport, sessionId: undefined });
        const observed = new ObservedResponder(answer, request, this.counts, trace);
        try {
          handler.request(caller, envelope, observed, context);
        } catch (error) {
          observed.failed(error);
          throw error;
        }
      },
      subscribe: (caller, filter, sink, context, signal) =>
        this.#runDuring('subscriptions/listen', caller.protocolVersion, transport, () =>
          handler.subscribe(caller, filter, sink, context, signal),
        ),
      ...(handler.onReplicaMessage && { onReplicaMessage: handler.onReplicaMessage }),
    };
  }

  /** Measures `initialize` until the session is open, which includes the time to notify other replicas. */
  #initialize<S>(
    handler: McpHandler<S>,
    request: InitializeRequest,
    transport: ClientTransport,
  ): InitializeOutcome<S> | Promise<InitializeOutcome<S>> {
    const startedAt = performance.now();
    const ended = (errorType: string) =>
      this.#add('initialize', request.protocolVersion, transport, startedAt, errorType);
    const begun = (outcome: InitializeOutcome<S>): InitializeOutcome<S> => {
      this.#initializing.set(outcome.session as object, ended);
      return outcome;
    };
    const failed = (error: unknown): never => {
      ended(getErrorType(error));
      throw error;
    };
    try {
      const outcome = handler.initialize(request);
      return outcome instanceof Promise ? outcome.then(begun, failed) : begun(outcome);
    } catch (error) {
      return failed(error);
    }
  }

  /** Ends the measurement of `initialize`. Does nothing for a session that another replica opened. */
  #initialized(payload: unknown, errorType: string): void {
    this.#initializing.get(payload as object)?.(errorType);
    this.#initializing.delete(payload as object);
  }

  /** Measures a call of the gateway core; a synchronous result stays synchronous. */
  #runDuring<T>(method: string, revision: string, transport: ClientTransport, run: () => T): T {
    const startedAt = performance.now();
    const done = (errorType: string) => this.#add(method, revision, transport, startedAt, errorType);
    try {
      const result = run();
      if (result instanceof Promise)
        result.then(
          () => done(''),
          error => done(getErrorType(error)),
        );
      else done('');
      return result;
    } catch (error) {
      done(getErrorType(error));
      throw error;
    }
  }

  #add(method: string, revision: string, transport: ClientTransport, startedAt: number, errorType: string): void {
    const total = (performance.now() - startedAt) / 1_000;
    const traits = { method, revision, transport, backend: '', kind: '', name: '', isStep: false } as const;
    this.counts.add(traits, errorType, { total, atBackend: undefined });
  }

  #closed(session: ClientSession<unknown>): void {
    const openedAt = this.#openedAt.get(session);
    if (openedAt !== undefined) this.sessionSeconds.observe((performance.now() - openedAt) / 1_000);
  }
}

function getErrorType(error: unknown): string {
  return error instanceof WireError ? String(error.code) : INTERNAL;
}
