/**
 * What a client has asked of its session beyond single requests. A session that is opened again, or a backend that comes back
 * with another revision, gets it again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  BackendError,
  type BackendIdentity,
  type BackendRequest,
  type BackendSession,
  type ResponseSink,
} from './backend.ts';
import { Backoff } from './backoff.ts';
import { requestResult } from './collect.ts';
import type { BackendContext } from './context.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

/** Resources that one session may be subscribed to; more are not remembered. */
const MAX_SUBSCRIPTIONS = 1_000;

/** How often a subscription is sent to a new session when there is no response. */
const MAX_TRIES = 5;

export class SessionReplay {
  /** `level` of the last `logging/setLevel`. */
  logLevel: string | undefined;
  /** By the URIs of resources whose updates are wanted. */
  readonly subscriptions: ResourceSubscriptions<true> = new ResourceSubscriptions();

  constructor(logLevel?: string) {
    this.logLevel = logLevel;
  }

  /**
   * Takes note of a request that changes the session. Other requests cost a comparison or two.
   *
   * @returns where the answer has to go: to `sink`, past what takes a subscription back that the backend refuses
   */
  note(request: BackendRequest, sink: ResponseSink): ResponseSink {
    switch (request.method) {
      case 'logging/setLevel':
        this.logLevel = readParam(request, 'level') ?? this.logLevel;
        return sink;
      case 'resources/subscribe': {
        const uri = readParam(request, 'uri');
        const hasRoom = uri !== undefined && this.subscriptions.size < MAX_SUBSCRIPTIONS;
        return hasRoom ? this.subscriptions.ask(uri, true, sink) : sink;
      }
      case 'resources/unsubscribe':
        this.subscriptions.delete(readParam(request, 'uri') ?? '');
        return sink;
      default:
        return sink;
    }
  }

  /** Takes note of a subscription that the client has made, or ended, at another replica. */
  noteSubscription(uri: string, isSubscribed: boolean): void {
    if (!isSubscribed) this.subscriptions.delete(uri);
    else if (this.subscriptions.size < MAX_SUBSCRIPTIONS) this.subscriptions.set(uri, true);
  }

  get isEmpty(): boolean {
    return this.logLevel === undefined && this.subscriptions.size === 0;
  }
}

/** A string of a request's params. It parses: such requests are rare and small. */
export function readParam({ text }: BackendRequest, name: string): string | undefined {
  const { params } = JSON.parse(text) as { params?: { readonly [name: string]: unknown } };
  const value = params?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** A session that gets again what its client had asked before. */
type ReplayTarget = Pick<BackendSession, 'request'> & { readonly backend: string };

/**
 * Tells a session that is opened from which level on its client wants logs; resolves when the backend has it, so that what is
 * sent next is logged as the client wants. Backends that do not log need not know; one that refuses keeps its own level.
 */
export async function replayLogLevel(
  session: ReplayTarget,
  { capabilities }: BackendIdentity,
  { logLevel: level }: SessionReplay,
  context: BackendContext,
  signal: AbortSignal,
): Promise<void> {
  if (level === undefined || !Object.hasOwn(capabilities, 'logging')) return;
  await notifySession(session, 'logging/setLevel', { level }, context, signal);
}

/**
 * Subscribes a session that replaces a previous one to what its client had subscribed to. A backend that has just come back
 * may yet fail for a moment: a subscription without a response is sent again.
 *
 * @param isCurrent whether no other session has taken its place
 */
export function replaySubscriptions(
  session: ReplayTarget,
  { subscriptions }: SessionReplay,
  context: BackendContext,
  { signal, isCurrent }: { signal: AbortSignal; isCurrent: () => boolean },
): void {
  const subscribeUntilAnswered = async (uri: string) => {
    const backoff = new Backoff(context.reconnect);
    for (let tries = 0; tries < MAX_TRIES && isCurrent() && subscriptions.has(uri); tries++) {
      if (await notifySession(session, 'resources/subscribe', { uri }, context, signal)) return;
      await pause(backoff.next(), undefined, { ref: false });
    }
  };
  for (const uri of subscriptions.keys()) void subscribeUntilAnswered(uri);
}

/** Returns whether the backend has answered, well or not. */
async function notifySession(
  session: ReplayTarget,
  method: string,
  params: object,
  { log }: BackendContext,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await requestResult(session, method, params, { signal });
    return true;
  } catch (error) {
    const { message } = error as Error;
    log.debug({ backend: session.backend, method, error: message }, 'the new session was not told');
    return !(error instanceof BackendError);
  }
}
