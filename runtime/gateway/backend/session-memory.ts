/**
 * What a client has asked of its session beyond single requests. A session that is opened anew, or a backend that comes back
 * with another revision, is told it again.
 */
import type { BackendRequest, BackendSession } from './backend.ts';
import { requestResult } from './collect.ts';
import type { BackendContext } from './context.ts';

/** Resources that one session may be subscribed to; more are not remembered. */
const MAX_SUBSCRIPTIONS = 1_000;

export class SessionMemory {
  /** `level` of the last `logging/setLevel`. */
  logLevel: string | undefined;
  /** URIs of resources whose updates are wanted. */
  readonly subscriptions: Set<string> = new Set();

  /** Takes note of a request that changes the session. Other requests cost a comparison or two. */
  note(request: BackendRequest): void {
    switch (request.method) {
      case 'logging/setLevel':
        this.logLevel = paramOf(request, 'level') ?? this.logLevel;
        break;
      case 'resources/subscribe': {
        const uri = paramOf(request, 'uri');
        if (uri !== undefined && this.subscriptions.size < MAX_SUBSCRIPTIONS) this.subscriptions.add(uri);
        break;
      }
      case 'resources/unsubscribe':
        this.subscriptions.delete(paramOf(request, 'uri') ?? '');
        break;
    }
  }

  get isEmpty(): boolean {
    return this.logLevel === undefined && this.subscriptions.size === 0;
  }

  /** The requests that bring a new session to where the former one was. */
  *replay(): Generator<{ readonly method: string; readonly params: object }, void, undefined> {
    if (this.logLevel !== undefined) yield { method: 'logging/setLevel', params: { level: this.logLevel } };
    for (const uri of this.subscriptions) yield { method: 'resources/subscribe', params: { uri } };
  }
}

/** A string of a request's params. It parses: such requests are rare and small. */
export function paramOf({ text }: BackendRequest, name: string): string | undefined {
  const { params } = JSON.parse(text) as { params?: { readonly [name: string]: unknown } };
  const value = params?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** Tells a session that takes the place of a former one what its client had asked of that. */
export function replayIn(
  session: BackendSession & { readonly backend: string },
  memory: SessionMemory,
  { log }: BackendContext,
  signal: AbortSignal,
): void {
  for (const { method, params } of memory.replay()) {
    requestResult(session, method, params, { signal }).catch(error => {
      const { message } = error as Error;
      log.debug({ backend: session.backend, method, error: message }, 'the new session was not told');
    });
  }
}
