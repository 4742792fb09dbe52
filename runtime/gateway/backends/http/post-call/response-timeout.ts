import { type IdleTimer, idleTimer, NOWHERE, type TimedRequest } from '../../idle-timer.ts';

/** What a call waits for: a sign of life of the backend, within a limit, or for a while something else. */
export class ResponseTimeout implements TimedRequest {
  position: number = NOWHERE;
  activeAt = 0;
  /** How long the backend may be silent, or might when it was waited for last; milliseconds. */
  limitMs = 0;
  private readonly _owner: { timedOut(): void };
  private _watch: IdleTimer | undefined;
  private _timer: NodeJS.Timeout | undefined;

  constructor(owner: { timedOut(): void }) {
    this._owner = owner;
  }

  /** The silence is the backend's from now on, and may last for `limitMs`. */
  expect(limitMs: number): void {
    this.stop();
    this.limitMs = limitMs;
    this._watch = idleTimer(limitMs);
    this._watch.begin(this);
  }

  /** It is the backend's. */
  get isExpecting(): boolean {
    return this.position !== NOWHERE;
  }

  /** The backend has given a sign of life. */
  markActivity(): void {
    this._watch?.markActivity(this);
  }

  /** The silence is ours: something else happens then, unless there is something to wait for before. */
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

  /** The watch's. */
  silentTooLong(): void {
    this._owner.timedOut();
  }
}
