/**
 * Parses Server-Sent Events incrementally from bytes. All delimiters are ASCII, so the parser splits lines before it decodes them, and a character
 * that is divided between two chunks stays intact.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const LINE_FEED = Buffer.from('\n');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');
const ID = Buffer.from('id');
const RETRY = Buffer.from('retry');
const MESSAGE = Buffer.from('message');
const NOTHING = Buffer.alloc(0);

/** The length of the longest field name that has a meaning; the parser does not read longer names. */
const LONGEST_FIELD = EVENT.length;

/** An event is larger than the limit. The parser cannot be used afterwards. */
export class EventTooLargeError extends Error {
  constructor(maxEventBytes: number) {
    super(`an event is larger than ${maxEventBytes} bytes`);
    this.name = 'EventTooLargeError';
  }
}

export interface EventStreamOptions {
  /** Limit on the data lines of one event, in bytes; any other single line counts in addition while it is read. */
  readonly maxEventBytes: number;
  /** Called with the `retry` field: milliseconds to wait before a reconnection. */
  readonly onRetry?: (ms: number) => void;
  /**
   * Called once for an event of type `message` with long data, with the beginning of the data. If it returns a receiver, the receiver gets the data
   * as it arrives, and no event follows; otherwise the parser collects the data.
   */
  readonly onLongMessage?: (beginning: Buffer) => LongMessage | undefined;
}

/** Receives the data of one long event. */
export interface LongMessage {
  /** A piece of the data, including the beginning. */
  piece(bytes: Buffer): void;
  /** The event is complete. */
  end(): void;
}

/** From this size on, the data of an event counts as long; bytes. */
const LONG_BYTES = 256 * 1024;

/** One dispatched event. */
export class StreamEvent {
  /** The event type, `message` unless the stream names another one. */
  readonly event: string;
  /** The data as received, in UTF-8. */
  readonly bytes: Buffer;
  /** The last event id of the stream, if it has one. */
  readonly id: string | undefined;

  constructor(event: string, bytes: Buffer, id: string | undefined) {
    this.event = event;
    this.bytes = bytes;
    this.id = id;
  }

  /** The data as text, decoded on each access. */
  get data(): string {
    return this.bytes.toString('utf8');
  }
}

/** Parses a stream in chunks of any size, and calls back with every event synchronously. */
export class EventStreamParser {
  private readonly _onEvent: (event: StreamEvent) => void;
  private readonly _options: EventStreamOptions;
  /** The beginning of an unfinished line. */
  private _partial: Buffer = NOTHING;
  private _partialLength = 0;
  /** The last chunk ended in CR: an LF at the start of the next chunk belongs to it. */
  private _afterCr = false;
  private _atStart = true;
  private _type = '';
  /** The values of the `data` lines so far. */
  private _data: Buffer[] = [];
  private _dataBytes = 0;
  /** The receiver of the data of the current event, if the event is long. */
  private _long: LongMessage | undefined;
  /** The current line contains data for `_long`. */
  private _isFlowing = false;
  private _hasAsked = false;
  private _idBuffer = '';
  private _lastEventId = '';

  constructor(onEvent: (event: StreamEvent) => void, options: EventStreamOptions) {
    this._onEvent = onEvent;
    this._options = options;
  }

  /** The value for `Last-Event-ID` of a reconnection; empty when the stream has no ids. */
  get lastEventId(): string {
    return this._lastEventId;
  }

  /**
   * Parses a chunk. The data of events may point into it, so it must not be changed afterwards.
   * @throws EventTooLargeError when an event exceeds the limit
   */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = this._afterCr && bytes[0] === LF ? 1 : 0;
    this._afterCr = false;
    // The next LF and the next CR are only searched again after they have been passed, so that a chunk without CR is searched for CR only once.
    let lf = findLineFeed(bytes, start);
    let cr = bytes.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      this._parseLine(bytes, start, end);
      start = end + 1;
      if (end === cr) {
        if (start === bytes.length) this._afterCr = true;
        else if (bytes[start] === LF) start++;
        cr = bytes.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = findLineFeed(bytes, start);
    }
    if (start < bytes.length) this._keep(bytes, start, bytes.length);
  }

  /** The stream has ended. The parser drops an event without its closing blank line, as the standard requires. */
  end(): void {
    this._partial = NOTHING;
    this._partialLength = 0;
    this._resetEvent();
  }

  /** Copies the beginning of a line, so that tiny chunks do not each retain a buffer. */
  private _keep(bytes: Buffer, start: number, end: number): void {
    if (this._isFlowing) {
      this._parseFlow(bytes.subarray(start, end));
      return;
    }
    const length = this._partialLength + end - start;
    this._checkSize(length);
    if (length > this._partial.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, this._partial.length * 2, 1024));
      this._partial.copy(grown, 0, 0, this._partialLength);
      this._partial = grown;
    }
    bytes.copy(this._partial, this._partialLength, start, end);
    this._partialLength = length;
    if (length > LONG_BYTES && !this._hasAsked) this._offerLong();
  }

  /** The first line of an event has become long: the receiver may accept it in pieces. */
  private _offerLong(): void {
    this._hasAsked = true;
    const line = this._partial.subarray(0, this._partialLength);
    const isData = this._data.length === 0 && isText(line, 0, DATA.length, DATA) && line[DATA.length] === COLON;
    if (!isData || (this._type !== '' && this._type !== 'message')) return;
    const beginning = line.subarray(findValueStart(line, DATA.length, line.length));
    this._long = this._options.onLongMessage?.(beginning);
    if (this._long === undefined) return;
    this._isFlowing = true;
    this._partial = NOTHING;
    this._partialLength = 0;
    this._parseFlow(beginning);
  }

  private _parseFlow(bytes: Buffer): void {
    this._checkSize(bytes.length);
    this._dataBytes += bytes.length;
    if (bytes.length > 0) this._long?.piece(bytes);
  }

  private _parseLine(bytes: Buffer, start: number, end: number): void {
    if (this._isFlowing) {
      this._parseFlow(bytes.subarray(start, end));
      this._isFlowing = false;
      return;
    }
    if (this._partialLength === 0) {
      this._checkSize(end - start);
      this._parseWholeLine(bytes, start, end);
      return;
    }
    this._keep(bytes, start, end);
    if (this._isFlowing) {
      this._isFlowing = false;
      return;
    }
    const line = this._partial;
    const length = this._partialLength;
    // The receiver keeps the memory of this line, so the next line gets its own.
    this._partial = NOTHING;
    this._partialLength = 0;
    this._parseWholeLine(line, 0, length);
  }

  private _parseWholeLine(bytes: Buffer, from: number, end: number): void {
    let start = from;
    if (this._atStart) {
      this._atStart = false;
      const afterMark = start + BYTE_ORDER_MARK.length;
      if (afterMark <= end && isText(bytes, start, afterMark, BYTE_ORDER_MARK)) start = afterMark;
    }
    if (start === end) this._dispatch();
    else if (bytes[start] !== COLON) this._parseField(bytes, start, end);
  }

  private _parseField(bytes: Buffer, start: number, end: number): void {
    const nameEnd = endOfName(bytes, start, end);
    if (nameEnd === -1) return;
    const value = findValueStart(bytes, nameEnd, end);
    if (isText(bytes, start, nameEnd, DATA)) this._parseDataLine(bytes.subarray(value, end), end - start);
    else if (isText(bytes, start, nameEnd, EVENT)) {
      this._type = isText(bytes, value, end, MESSAGE) ? 'message' : bytes.toString('utf8', value, end);
    } else if (isText(bytes, start, nameEnd, ID)) {
      const id = bytes.toString('utf8', value, end);
      if (!id.includes('\0')) this._idBuffer = id;
    } else if (isText(bytes, start, nameEnd, RETRY)) {
      const retry = bytes.toString('utf8', value, end);
      if (/^[0-9]+$/.test(retry)) this._options.onRetry?.(Number(retry));
    }
  }

  private _parseDataLine(value: Buffer, lineBytes: number): void {
    if (this._long === undefined) {
      this._dataBytes += lineBytes;
      this._data.push(value);
      return;
    }
    this._parseFlow(LINE_FEED);
    this._parseFlow(value);
  }

  private _dispatch(): void {
    this._lastEventId = this._idBuffer;
    const lines = this._data;
    const type = this._type === '' ? 'message' : this._type;
    const long = this._long;
    this._resetEvent();
    if (long !== undefined) {
      long.end();
      return;
    }
    const [first] = lines;
    if (first === undefined) return;
    const bytes = lines.length === 1 ? first : joinLines(lines);
    // A single empty `data` line is an event with empty data: MCP servers send it to define an event id before the first message.
    this._onEvent(new StreamEvent(type, bytes, this._lastEventId === '' ? undefined : this._lastEventId));
  }

  private _resetEvent(): void {
    this._type = '';
    this._long = undefined;
    this._isFlowing = false;
    this._hasAsked = false;
    if (this._data.length > 0) this._data = [];
    this._dataBytes = 0;
  }

  private _checkSize(lineBytes: number): void {
    const { maxEventBytes } = this._options;
    if (this._dataBytes + lineBytes > maxEventBytes) throw new EventTooLargeError(maxEventBytes);
  }
}

/** Most lines other than `data` are shorter than this; for the first bytes a loop is faster, and then a native search. Bytes. */
const SHORT_LINE = 32;

/** The next line feed, or -1. */
function findLineFeed(bytes: Buffer, from: number): number {
  const near = Math.min(from + SHORT_LINE, bytes.length);
  for (let at = from; at < near; at++) if (bytes[at] === LF) return at;
  return bytes.indexOf(LF, near);
}

/** The end of the name of the field from `start` to `end`; -1 for a name that is longer than any known one. */
function endOfName(bytes: Buffer, start: number, end: number): number {
  const last = Math.min(end, start + LONGEST_FIELD + 1);
  for (let at = start; at < last; at++) if (bytes[at] === COLON) return at;
  return last === end && end - start <= LONGEST_FIELD ? end : -1;
}

/** The start of a field's value: after the colon and one space. */
function findValueStart(bytes: Buffer, nameEnd: number, end: number): number {
  const start = Math.min(nameEnd + 1, end);
  return start < end && bytes[start] === SPACE ? start + 1 : start;
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [LINE_FEED, line])));
}

/** Whether the text from `start` to `end` is `text`. */
function isText(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start !== text.length) return false;
  for (let i = 0; i < text.length; i++) {
    if (bytes[start + i] !== text[i]) return false;
  }
  return true;
}
