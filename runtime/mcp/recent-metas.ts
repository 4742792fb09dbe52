import type { RequestMeta } from './envelope.ts';

/** Maximum number of remembered objects. Few, because comparing a text with all of them must cost less than parsing it. */
const MOST = 4;

/** Longest remembered text, in characters. */
export const LONGEST_META = 2_048;

/** The parsed `_meta` of recent requests. Clients repeat `_meta` in each request, and comparing it takes a fraction of the time of parsing. */
export class RecentMetas {
  /** Most recently used first. */
  readonly #metas: RequestMeta[] = [];

  /** The remembered object whose text occurs at `start`; undefined if there is none. The text ends with the closing brace, so it is a whole object. */
  findAt(text: string, start: number): RequestMeta | undefined {
    const metas = this.#metas;
    for (let i = 0; i < metas.length; i++) {
      const meta = metas[i] as RequestMeta;
      if (text.slice(start, start + meta.text.length) !== meta.text) continue;
      if (i > 0) this.#moveToFront(meta, i);
      return meta;
    }
    return undefined;
  }

  /** @param meta an object that was read from a text of its own */
  add(meta: RequestMeta): void {
    this.#metas.unshift(meta);
    if (this.#metas.length > MOST) this.#metas.pop();
  }

  #moveToFront(meta: RequestMeta, from: number): void {
    this.#metas.copyWithin(1, 0, from);
    this.#metas[0] = meta;
  }
}
