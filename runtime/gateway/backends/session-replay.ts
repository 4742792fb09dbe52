/**
 * A client's settings of its session that outlive single requests. The gateway sends them again to a reopened session and to a backend that
 * returns with another revision.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { BackendError } from '../../mcp/backend-error.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { BackendIdentity, BackendRequest, BackendSession } from './backend.ts';
import { Backoff } from './backoff.ts';
import { requestResult } from './collect.ts';
import type { BackendContext } from './context.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

/** Maximum number of remembered subscriptions of one session. */
const MAX_SUBSCRIPTIONS = 1_000;

/** How often the gateway sends a subscription to a new session when no answer comes. */
const MAX_TRIES = 5;

export class SessionReplay {
  /** The `level` of the last `logging/setLevel`. */
  logLevel: string | undefined;
  /** Subscribed resources, by URI. */
  readonly subscriptions: ResourceSubscriptions<true> = new ResourceSubscriptions();

  constructor(logLevel?: string) {
    this.logLevel = logLevel;
  }

  /**
   * Records a request that changes the session. Other requests cost a comparison or two.
   * @returns the sink for the answer: it removes the subscription if the backend refuses it, and forwards to `sink`
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

  /** Records a subscription that the client has made or ended at another replica. */
  noteSubscription(uri: string, isSubscribed: boolean): void {
    if (!isSubscribed) this.subscriptions.delete(uri);
    else if (this.subscriptions.size < MAX_SUBSCRIPTIONS) this.subscriptions.set(uri, true);
  }

  get isEmpty(): boolean {
    return this.logLevel === undefined && this.subscriptions.size === 0;
  }
}

/** Reads a string of a request's params by parsing: such requests are rare and small. */
export function readParam({ text }: BackendRequest, name: string): string | undefined {
  const { params } = JSON.parse(text) as { params?: { readonly [name: string]: unknown } };
  const value = params?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** A session that gets its client's earlier settings again. */
type ReplayTarget = Pick<BackendSession, 'request'> & { readonly backend: string };

/**
 * Sends an opened session its client's log level; resolves when the backend has it, so that it applies to all later messages. Backends without
 * logging get none; a backend that refuses keeps its own level.
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
 * Subscribes a session that replaces a previous one to its client's resources. A backend that has just returned may fail for a moment: the
 * gateway sends a subscription without a response again.
 * @param isCurrent whether no other session has replaced it
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

/** Returns whether the backend has answered, even with an error. */
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
    log.debug(
      { backend: session.backend, method, error: message },
      'the new session of the backend did not accept a setting',
    );
    return !(error instanceof BackendError);
  }
}
