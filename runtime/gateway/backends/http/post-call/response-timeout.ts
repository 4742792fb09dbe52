import { type IdleTimer, NOWHERE, startIdleTimer, type TimedRequest } from '../../idle-timer.ts';

/** The time limit of a call: until the backend's next sign of life, or until another event for which the call waits. */
export class ResponseTimeout implements TimedRequest {
  position: number = NOWHERE;
  activeAt = 0;
  /** How long the backend may be silent, in milliseconds; while the call waits for another event, the former value. */
  limitMs = 0;
  private readonly _owner: { timedOut(): void };
  private _watch: IdleTimer | undefined;
  private _timer: NodeJS.Timeout | undefined;

  constructor(owner: { timedOut(): void }) {
    this._owner = owner;
  }

  /** The call waits for the backend from now on, for at most `limitMs`. */
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

  /** The backend has sent something. */
  markActivity(): void {
    this._watch?.markActivity(this);
  }

  /**
   * Waits for another event than the backend's answer: calls a function after a time, unless the call starts to wait for yet another event.
   */
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

  /** Called by the watch. */
  onTimeout(): void {
    this._owner.timedOut();
  }
}
