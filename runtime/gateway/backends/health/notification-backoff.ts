import { RefreshBackoff } from './refresh-backoff.ts';

/** How often one notification method was repeated. */
interface Repeats {
  readonly pause: RefreshBackoff;
  toldAt: number;
}

/**
 * How often clients are notified of a list that a backend announces as changed and that reads the same: four times in a row at
 * once, then at doubled distances of up to 30 seconds, until the backend has been calm for a minute. Each kind of list counts by itself.
 */
export class NotificationBackoff {
  readonly #repeats = new Map<string, Repeats>();

  /** Whether it is time to notify; counts as a notification then. A suppressed one would tell notified clients nothing new. */
  mayTell(method: string): boolean {
    const known = this.#repeats.get(method) ?? { pause: new RefreshBackoff(), toldAt: Number.NEGATIVE_INFINITY };
    this.#repeats.set(method, known);
    const now = performance.now();
    if (now - known.toldAt < known.pause.ms) return false;
    known.pause.hasChanged();
    known.toldAt = now;
    return true;
  }
}
