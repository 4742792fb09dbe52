import { type IdleTimer, NOWHERE, startIdleTimer, type TimedRequest } from '../../idle-timer.ts';

/** The time limit of a call: until the backend's next sign of life, or until another event for which the call waits. */
export class ResponseTimeout implements TimedRequest {
  position: number = NOWHERE;
  activeAt = 0;
  /** How long the backend may be silent, in milliseconds; while the call waits for something else, the value before that. */
  limitMs = 0;
  private readonly _owner: { timedOut(): void };
  private _watch: IdleTimer | undefined;
  private _timer: NodeJS.Timeout | undefined;

  constructor(owner: { timedOut(): void }) {
    this._owner = owner;
  }

  /** Starts the time limit: from now on the call waits for the backend, for at most `limitMs`. */
  expect(limitMs: number): void {
    this.stop();
    this.limitMs = limitMs;
    this._watch = startIdleTimer(limitMs);
    this._watch.begin(this);
  }

  /** Whether the call waits for the backend. */
  get isExpecting(): boolean {
    return this.position !== NOWHERE;
  }

  /** Called when the backend has sent something. */
  markActivity(): void {
    this._watch?.markActivity(this);
  }

  /** Calls a function after a time, unless the call starts to wait for another event before. The backend's time limit does not run meanwhile. */
  after(ms: number, then: () => void): void {
    this.stop();
    this._timer = setTimeout(then, ms);
  }

  stop(): void {
    this._watch?.end(this);
    if (this._timer === undefined) return;
    clearTimeout(this._timer);
    this._timer = undefined;
  }

  /** Called by the timer when the limit has passed. */
  onTimeout(): void {
    this._owner.timedOut();
  }
}
