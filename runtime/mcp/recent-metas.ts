import type { RequestMeta } from './envelope.ts';

/** How many are remembered: comparing with all of them must cost less than reading one. */
const MOST = 4;

/** What is longer, in characters, is not worth keeping. */
export const LONGEST_META = 2_048;

/** The `_meta` of recent requests. Clients repeat theirs with each request, and comparing is a fraction of reading. */
export class RecentMetas {
  /** The one used last stands first. */
  readonly #metas: RequestMeta[] = [];

  /** The one whose text stands at `start`. An object that begins like this ends like this: its braces say where. */
  at(text: string, start: number): RequestMeta | undefined {
    const metas = this.#metas;
    for (let i = 0; i < metas.length; i++) {
      const meta = metas[i] as RequestMeta;
      if (text.slice(start, start + meta.text.length) !== meta.text) continue;
      if (i > 0) this.#moveToFront(meta, i);
      return meta;
    }
    return undefined;
  }

  /** @param meta read from a text of its own, of an object */
  add(meta: RequestMeta): void {
    this.#metas.unshift(meta);
    if (this.#metas.length > MOST) this.#metas.pop();
  }

  #moveToFront(meta: RequestMeta, from: number): void {
    this.#metas.copyWithin(1, 0, from);
    this.#metas[0] = meta;
  }
}
