/**
 * Sessions with a stateless backend, one for each caller, since a request carries the caller's credential and headers. Such a session has no
 * state at the backend; it saves memory and the preparation of each request.
 */
import type { BackendSession } from '../backends/backend.ts';
import { getSessionKey, type Sender } from '../backends/sender.ts';

/** Maximum number of remembered callers of one backend without running calls; the least recently used ones are removed. */
const MAX_IDLE = 1_000;

/** How long an idle caller is remembered, in milliseconds, and how often the pool checks. */
const IDLE_MS = 60_000;
const SWEEPS = 4;

/** A session for the time of one call. */
export interface SessionUse {
  readonly session: BackendSession;
  /** Called once, when the call has ended. */
  end(): void;
}

export interface CallerSessionsOptions {
  /** Opens a session for a caller. `sender` returns the current sender, whose token may have been renewed. */
  openSession(sender: () => Sender): BackendSession;
  /** Ends a session that `openSession` returned; never rejects. */
  endSession(session: BackendSession): Promise<void>;
}

export class CallerSessions {
  readonly #options: CallerSessionsOptions;
  /** Sessions, by the `getSessionKey` of their sender; least recently used first. */
  readonly #entries = new Map<string, CallerSession>();
  #timer: NodeJS.Timeout | undefined;
  #sweeps = 0;
  #isClosed = false;

  constructor(options: CallerSessionsOptions) {
    this.#options = options;
  }

  take(sender: Sender): SessionUse {
    const key = getSessionKey(sender);
    const entry = this.#entries.get(key) ?? new CallerSession(sender, this.#options, idle => this.#rest(idle));
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.begin(sender);
    this.#timer ??= setInterval(() => this.#sweep(), IDLE_MS / SWEEPS).unref();
    return entry;
  }

  /** Ends the sessions without calls; each of the others ends with its calls, or with the connection. */
  close(): void {
    this.#isClosed = true;
    this.#trim();
  }

  #rest(entry: CallerSession): void {
    entry.idleSince = this.#sweeps;
    this.#trim();
  }

  /** Ends the idle sessions above the limit, the least recently used first. */
  #trim(): void {
    const most = this.#isClosed ? 0 : MAX_IDLE;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= most) break;
      if (entry.isIdle) this.#end(key, entry);
    }
    this.#stopWhenEmpty();
  }

  #sweep(): void {
    const tooOld = ++this.#sweeps - SWEEPS;
    for (const [key, entry] of this.#entries) if (entry.idleSince < tooOld) this.#end(key, entry);
    this.#stopWhenEmpty();
  }

  #end(key: string, { session }: CallerSession): void {
    this.#entries.delete(key);
    void this.#options.endSession(session);
  }

  #stopWhenEmpty(): void {
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

class CallerSession implements SessionUse {
  readonly session: BackendSession;
  /** The number of the sweep during which the session's last call ended; infinite while calls run. */
  idleSince = Number.POSITIVE_INFINITY;
  readonly #onIdle: (entry: CallerSession) => void;
  #sender: Sender;
  #calls = 0;

  constructor(sender: Sender, { openSession }: CallerSessionsOptions, onIdle: (entry: CallerSession) => void) {
    this.#sender = sender;
    this.#onIdle = onIdle;
    this.session = openSession(() => this.#sender);
  }

  get isIdle(): boolean {
    return this.#calls === 0;
  }

  begin(sender: Sender): void {
    this.#sender = sender;
    this.#calls++;
    this.idleSince = Number.POSITIVE_INFINITY;
  }

  end(): void {
    if (--this.#calls > 0) return;
    this.#onIdle(this);
  }
}
