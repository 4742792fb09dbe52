/** Splits the output of a program into lines, which frame messages in the stdio transport of MCP. */

const NEWLINE = 0x0a;

/** How many bytes are kept of each end of a line that is too long: enough to find the id of the request that it answers. */
const KEPT_BYTES = 1024;

export interface LineSink {
  /** Called for each line, without its line break. */
  line(text: string): void;
  /** Called for a line beyond the limit, of which only the two ends were kept. */
  tooLong(ends: { readonly head: string; readonly tail: string; readonly bytes: number }): void;
}

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #sink: LineSink;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The beginning of a line that is too long. */
  #head: Buffer | undefined;
  #tail: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number, sink: LineSink) {
    this.#maxBytes = maxBytes;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      this.#flush();
      from = at + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  /** Ends the input. Text after the last line break counts as a line. */
  end(): void {
    if (this.#bytes > 0) this.#flush();
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#head === undefined && this.#bytes > this.#maxBytes) {
      const so = Buffer.concat([...this.#chunks, part]);
      this.#head = Buffer.from(so.subarray(0, KEPT_BYTES));
      this.#tail = Buffer.from(so.subarray(-KEPT_BYTES));
      this.#chunks = [];
    } else if (this.#head !== undefined) {
      this.#tail = Buffer.from(Buffer.concat([this.#tail, part]).subarray(-KEPT_BYTES));
    } else if (part.length > 0) {
      this.#chunks.push(part);
    }
  }

  #flush(): void {
    const head = this.#head;
    const bytes = this.#bytes;
    const [only] = this.#chunks;
    const whole = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#head = undefined;
    if (head === undefined) this.#sink.line(whole.toString('utf8').replace(/\r$/, ''));
    else this.#sink.tooLong({ head: head.toString('utf8'), tail: this.#tail.toString('utf8'), bytes });
  }
}
