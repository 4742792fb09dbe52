/** What was asked for: an operation, and the registry where it shows one. There are as many as bundles have routes. */
export interface CountedRoute {
  /** `none` at a path that is no route. */
  readonly operation: string;
  readonly registry: string;
}

/** The first digit of a status; `aborted` when the client went before there was one. */
export type StatusClass = `${1 | 2 | 3 | 4 | 5}xx` | 'aborted';

export interface RequestCount extends CountedRoute {
  readonly status: StatusClass;
  readonly count: number;
}

/** How many requests were answered how, for `/metrics`. It goes on when the bundle changes: counters never fall. */
export class RequestCounts implements Iterable<RequestCount> {
  readonly #counts = new Map<string, { -readonly [member in keyof RequestCount]: RequestCount[member] }>();

  /** @param status of the answer; undefined when there was none */
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
