/**
 * Server-Sent Events, read incrementally from bytes.
 *
 * Only ASCII delimits, so lines are cut before they are decoded and a character split between two chunks stays whole.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const LINE_FEED = Buffer.from('\n');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const DATA = Buffer.from('data');
const NOTHING = Buffer.alloc(0);

/** Fields with longer names mean nothing; their names are not even decoded. */
const LONGEST_FIELD = 'event'.length;

/** An event larger than the ceiling. The parser is of no use afterwards. */
export class EventTooLargeError extends Error {
  constructor(maxEventBytes: number) {
    super(`an event is larger than ${maxEventBytes} bytes`);
    this.name = 'EventTooLargeError';
  }
}

export interface EventStreamOptions {
  /** Ceiling on the data lines of one event, in bytes; any other single line counts on top while it is read. */
  readonly maxEventBytes: number;
  /** Hears the `retry` field: milliseconds to wait before a reconnection. */
  readonly onRetry?: (ms: number) => void;
  /**
   * Asked once for an event of type `message` whose data is long: what has come of it so far. Whoever takes it gets the
   * data as it comes, and no event; else it is gathered like any other.
   */
  readonly onLongMessage?: (beginning: Buffer) => LongMessage | undefined;
}

/** Takes the data of one long event. */
export interface LongMessage {
  /** A piece of the data, the beginning included. */
  piece(bytes: Buffer): void;
  /** The event is complete. */
  end(): void;
}

/** From here on data is long, in bytes. */
const LONG_BYTES = 256 * 1024;

/** One dispatched event. */
export class StreamEvent {
  /** The event type, `message` unless the stream said otherwise. */
  readonly event: string;
  /** The data as it came, in UTF-8. */
  readonly bytes: Buffer;
  /** The last event id of the stream, when it has one. */
  readonly id: string | undefined;

  constructor(event: string, bytes: Buffer, id: string | undefined) {
    this.event = event;
    this.bytes = bytes;
    this.id = id;
  }

  /** The data as text, decoded on each reading. */
  get data(): string {
    return this.bytes.toString('utf8');
  }
}

/** Takes a stream in chunks of any size and calls back with every event, synchronously. */
export class EventStreamParser {
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #options: EventStreamOptions;
  /** The beginning of a line whose end has not come yet. */
  #partial: Buffer = NOTHING;
  #partialLength = 0;
  /** The last chunk ended in CR: an LF at the start of the next one belongs to it. */
  #afterCr = false;
  #atStart = true;
  #type = '';
  /** The value of each `data` line so far. */
  #data: Buffer[] = [];
  #dataBytes = 0;
  /** Takes the data of the event that is being read. */
  #long: LongMessage | undefined;
  /** The line that is being read is one of data that goes to `#long`. */
  #isFlowing = false;
  #hasAsked = false;
  #idBuffer = '';
  #lastEventId = '';

  constructor(onEvent: (event: StreamEvent) => void, options: EventStreamOptions) {
    this.#onEvent = onEvent;
    this.#options = options;
  }

  /** What a reconnection sends as `Last-Event-ID`; empty when the stream gave no ids. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /**
   * Reads a chunk. The data of events may point into it, so it must not be written to afterwards.
   *
   * @throws EventTooLargeError when an event passes the ceiling
   */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = this.#afterCr && bytes[0] === LF ? 1 : 0;
    this.#afterCr = false;
    // The next of each kind is kept until it has been passed: a stream without CR is searched for CR only once.
    let lf = bytes.indexOf(LF, start);
    let cr = bytes.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this.#line(bytes, start, end);
      start = end + 1;
      if (end === cr) {
        if (start === bytes.length) this.#afterCr = true;
        else if (bytes[start] === LF) start++;
        cr = bytes.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = bytes.indexOf(LF, start);
    }
    if (start < bytes.length) this.#keep(bytes, start, bytes.length);
  }

  /** The stream has ended. An event without its closing blank line is dropped, as the standard asks. */
  end(): void {
    this.#partial = NOTHING;
    this.#partialLength = 0;
    this.#resetEvent();
  }

  /** Copies the beginning of a line, so that tiny chunks do not each hold on to a buffer of their own. */
  #keep(bytes: Buffer, start: number, end: number): void {
    if (this.#isFlowing) {
      this.#flow(bytes.subarray(start, end));
      return;
    }
    const length = this.#partialLength + end - start;
    this.#checkSize(length);
    if (length > this.#partial.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#partial.length * 2, 1024));
      this.#partial.copy(grown, 0, 0, this.#partialLength);
      this.#partial = grown;
    }
    bytes.copy(this.#partial, this.#partialLength, start, end);
    this.#partialLength = length;
    if (length > LONG_BYTES && !this.#hasAsked) this.#offerLong();
  }

  /** The first line of an event has become long: somebody may want it in pieces. */
  #offerLong(): void {
    this.#hasAsked = true;
    const line = this.#partial.subarray(0, this.#partialLength);
    const isData = this.#data.length === 0 && startsWith(line, DATA) && line[DATA.length] === COLON;
    if (!isData || (this.#type !== '' && this.#type !== 'message')) return;
    const beginning = fieldValue(line, DATA.length);
    this.#long = this.#options.onLongMessage?.(beginning);
    if (this.#long === undefined) return;
    this.#isFlowing = true;
    this.#partial = NOTHING;
    this.#partialLength = 0;
    this.#flow(beginning);
  }

  #flow(bytes: Buffer): void {
    this.#checkSize(bytes.length);
    this.#dataBytes += bytes.length;
    if (bytes.length > 0) this.#long?.piece(bytes);
  }

  #line(bytes: Buffer, start: number, end: number): void {
    let line: Buffer;
    if (this.#isFlowing) {
      this.#flow(bytes.subarray(start, end));
      this.#isFlowing = false;
      return;
    }
    if (this.#partialLength === 0) {
      this.#checkSize(end - start);
      line = bytes.subarray(start, end);
    } else {
      this.#keep(bytes, start, end);
      if (this.#isFlowing) {
        this.#isFlowing = false;
        return;
      }
      line = this.#partial.subarray(0, this.#partialLength);
      // The line is handed on: the next one gets memory of its own.
      this.#partial = NOTHING;
      this.#partialLength = 0;
    }
    if (this.#atStart) {
      this.#atStart = false;
      if (startsWith(line, BYTE_ORDER_MARK)) line = line.subarray(BYTE_ORDER_MARK.length);
    }
    if (line.length === 0) this.#dispatch();
    else if (line[0] !== COLON) this.#field(line);
  }

  #field(line: Buffer): void {
    if (startsWith(line, DATA) && (line.length === DATA.length || line[DATA.length] === COLON)) {
      const value = fieldValue(line, DATA.length);
      if (this.#long !== undefined) {
        this.#flow(LINE_FEED);
        this.#flow(value);
        return;
      }
      this.#dataBytes += line.length;
      this.#data.push(value);
      return;
    }
    const colon = line.indexOf(COLON);
    const nameLength = colon === -1 ? line.length : colon;
    if (nameLength > LONGEST_FIELD) return;
    const value = fieldValue(line, nameLength).toString('utf8');
    switch (line.toString('latin1', 0, nameLength)) {
      case 'event':
        this.#type = value;
        break;
      case 'id':
        if (!value.includes('\0')) this.#idBuffer = value;
        break;
      case 'retry':
        if (/^[0-9]+$/.test(value)) this.#options.onRetry?.(Number(value));
        break;
    }
  }

  #dispatch(): void {
    this.#lastEventId = this.#idBuffer;
    const lines = this.#data;
    const type = this.#type === '' ? 'message' : this.#type;
    const long = this.#long;
    this.#resetEvent();
    if (long !== undefined) {
      long.end();
      return;
    }
    const [first] = lines;
    if (first === undefined) return;
    const bytes = lines.length === 1 ? first : joinLines(lines);
    // A lone empty `data` line makes an event with empty data: MCP sends it to hand out an id early.
    this.#onEvent(new StreamEvent(type, bytes, this.#lastEventId === '' ? undefined : this.#lastEventId));
  }

  #resetEvent(): void {
    this.#type = '';
    this.#long = undefined;
    this.#isFlowing = false;
    this.#hasAsked = false;
    if (this.#data.length > 0) this.#data = [];
    this.#dataBytes = 0;
  }

  #checkSize(lineBytes: number): void {
    const { maxEventBytes } = this.#options;
    if (this.#dataBytes + lineBytes > maxEventBytes) throw new EventTooLargeError(maxEventBytes);
  }
}

/** The value of a field: what follows the colon and one space. */
function fieldValue(line: Buffer, nameLength: number): Buffer {
  return line.subarray(nameLength + (line[nameLength + 1] === SPACE ? 2 : 1));
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [LINE_FEED, line])));
}

function startsWith(line: Buffer, prefix: Buffer): boolean {
  if (line.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) {
    if (line[i] !== prefix[i]) return false;
  }
  return true;
}
