/**
 * What is known about texts, as long as they are no more than a number of bytes together: what is known about a text grows
 * with it. Forgets everything at once, which costs no bookkeeping and happens to nobody but those who have very many.
 */
export class TextCache<Known> {
  readonly #maxBytes: number;
  readonly #known = new Map<string, Known>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(text: string): Known | undefined {
    return this.#known.get(text);
  }

  has(text: string): boolean {
    return this.#known.has(text);
  }

  set(text: string, known: Known): void {
    const bytes = bytesOf(text);
    if (bytes > this.#maxBytes) return;
    if (this.#known.has(text)) this.#bytes -= bytes;
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#known.clear();
      this.#bytes = 0;
    }
    this.#known.set(text, known);
    this.#bytes += bytes;
  }
}

/** At most, in memory: two a code unit. */
function bytesOf(text: string): number {
  return 2 * text.length;
}
