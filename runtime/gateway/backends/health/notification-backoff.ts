import { RefreshBackoff } from './refresh-backoff.ts';

/** How often a notification method has repeated. */
interface Repeats {
  readonly pause: RefreshBackoff;
  notifiedAt: number;
}

/**
 * Limits how often clients are notified of a list that the backend announces as changed although it is unchanged: four times in a row at once,
 * then at doubled intervals of up to 30 seconds, until the backend has sent none for a minute. Each kind of list counts separately.
 */
export class NotificationBackoff {
  readonly #repeats = new Map<string, Repeats>();

  /** Whether it is time to notify; true counts as a notification. Clients lose nothing by a suppressed one, because the list is unchanged. */
  mayNotify(method: string): boolean {
    const known = this.#repeats.get(method) ?? { pause: new RefreshBackoff(), notifiedAt: Number.NEGATIVE_INFINITY };
    this.#repeats.set(method, known);
    const now = performance.now();
    if (now - known.notifiedAt < known.pause.ms) return false;
    known.pause.hasChanged();
    known.notifiedAt = now;
    return true;
  }
}
