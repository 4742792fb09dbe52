/** The labels of a request: its operation, and its registry if it has one. The bundle defines all values, so there are few. */
export interface CountedRoute {
  /** `none` at a path that is not a route. */
  readonly operation: string;
  readonly registry: string;
}

/** The class of an HTTP status; `aborted` if the client disconnected before there was a status. */
export type StatusClass = `${1 | 2 | 3 | 4 | 5}xx` | 'aborted';

export interface RequestCount extends CountedRoute {
  readonly status: StatusClass;
  readonly count: number;
}

/** Counts requests by outcome, for `/metrics`. The counts continue when the bundle changes: counters never fall. */
export class RequestCounts implements Iterable<RequestCount> {
  readonly #counts = new Map<string, { -readonly [member in keyof RequestCount]: RequestCount[member] }>();

  /** @param status the HTTP status of the answer; undefined if there was no answer */
  add({ operation, registry }: CountedRoute, status: number | undefined): void {
    const kind: StatusClass = status === undefined ? 'aborted' : (`${Math.trunc(status / 100)}xx` as StatusClass);
    const key = `${operation} ${kind} ${registry}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { operation, registry, status: kind, count: 1 });
    else known.count++;
  }

  [Symbol.iterator](): Iterator<RequestCount> {
    return this.#counts.values();
  }
}
