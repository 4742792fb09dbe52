/** A client's `logging/setLevel`: the gateway sends it to the backends of the session, and to further ones when they are used. */

import { BackendError } from '../../mcp/backend-error.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { BackendRequest, BackendSession } from '../backends/backend.ts';
import { requestResult } from '../backends/collect.ts';

/** How often the gateway sends a log level to a backend that does not answer, each time before a request. */
const MAX_ATTEMPTS = 5;

interface Attempts {
  /** Resolves when the backend has the level, or cannot get it for now; undefined while it is not being sent. */
  current: Promise<void> | undefined;
  failures: number;
}

export class LogLevel {
  #level: string | undefined;
  /** Backends to which the level is being sent, or that have not answered to it. */
  #attempts: Map<BackendSession, Attempts> | undefined;

  get value(): string | undefined {
    return this.#level;
  }

  /** Sets the level that the client has requested, for these backends. */
  set(level: string, backends: Iterable<BackendSession>): void {
    this.#level = level;
    for (const backend of backends) void this.#send(backend, level);
  }

  /** Sends a request, but after the level if the level is still being sent. */
  sendAfter(backend: BackendSession, request: BackendRequest, sink: ResponseSink): void {
    const attempts = this.#attempts?.get(backend);
    if (attempts === undefined) backend.request(request, sink);
    else {
      const sent = attempts.current ?? this.#send(backend, this.#level, attempts.failures);
      requestAfter(sent, backend, request, sink);
    }
  }

  forget(backend: BackendSession): void {
    this.#attempts?.delete(backend);
    if (this.#attempts?.size === 0) this.#attempts = undefined; // Without open attempts a call needs no look-up.
  }

  /** Sends levels one after the other, so that the backend ends up with the last one. */
  #send(backend: BackendSession, level: string | undefined, failures = 0): Promise<void> {
    this.#attempts ??= new Map();
    const before = this.#attempts.get(backend)?.current ?? Promise.resolve();
    const attempts: Attempts = { failures, current: undefined };
    attempts.current = before
      .then(() => level === undefined || setLevel(backend, level))
      .then(isDone => {
        attempts.current = undefined;
        if (!isDone && ++attempts.failures < MAX_ATTEMPTS) return;
        if (this.#attempts?.get(backend) === attempts) this.forget(backend);
      });
    this.#attempts.set(backend, attempts);
    return attempts.current;
  }
}

/** In a function of its own, so that only a request that waits costs a closure. */
function requestAfter(sent: Promise<void>, backend: BackendSession, request: BackendRequest, sink: ResponseSink): void {
  void sent.then(() => backend.request(request, sink));
}

/**
 * Sends a backend the level. A backend without logging does not get it; a backend that refuses keeps its own level. Never rejects.
 * @returns false when the backend was unavailable
 */
async function setLevel(backend: BackendSession, level: string): Promise<boolean> {
  try {
    const { capabilities } = await backend.open();
    if (Object.hasOwn(capabilities, 'logging')) await requestResult(backend, 'logging/setLevel', { level });
    return true;
  } catch (error) {
    return !(error instanceof BackendError);
  }
}
