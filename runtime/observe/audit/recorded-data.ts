/** The beginning of a content (arguments or a result) in a record: whole characters of UTF-8, limited in bytes. */
export interface RecordedData {
  readonly text: string;
  /** Size of the whole content, in bytes. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** @param secret text that must not be kept, such as the token of the caller */
export function toRecordedText(text: string, maxBytes: number, secret: string | undefined): RecordedData {
  // Some more characters are searched than kept, so that a secret across the cut is found.
  const beginning = text.slice(0, maxBytes + (secret?.length ?? 0));
  return keepContent(
    Buffer.from(withoutSecret(beginning, secret)),
    Buffer.byteLength(text),
    maxBytes,
    text.length > beginning.length,
  );
}

/** Collects the beginning of a content in chunks. */
export class RecordedChunks {
  bytes = 0;
  private readonly _room: number;
  private readonly _chunks: Buffer[] = [];
  private _bytes = 0;

  /** @param room number of bytes to collect: more than are kept in the end, so that a secret across the cut is found */
  constructor(room: number) {
    this._room = room;
  }

  /** Copies the bytes that it keeps, because the owner may reuse the memory of a chunk. */
  add(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    const missing = this._room - this._bytes;
    if (missing <= 0) return;
    const part = Buffer.from(chunk.subarray(0, missing));
    this._chunks.push(part);
    this._bytes += part.length;
  }

  keep(maxBytes: number, secret: string | undefined): RecordedData {
    const bytes = Buffer.concat(this._chunks, this._bytes);
    const text = bytes.subarray(0, countWholeCharacters(bytes, bytes.length)).toString('utf8');
    return keepContent(Buffer.from(withoutSecret(text, secret)), this.bytes, maxBytes, this.bytes > this._bytes);
  }
}

export function withoutSecret(text: string, secret: string | undefined): string {
  return secret !== undefined && text.includes(secret) ? text.replaceAll(secret, '[redacted]') : text;
}

/** Cuts a text that a caller has chosen to at most `maxBytes`, at the end of a character. */
export function truncate(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  return bytes.length <= maxBytes
    ? text
    : `${bytes.subarray(0, countWholeCharacters(bytes, maxBytes)).toString('utf8')}…`;
}

function keepContent(content: Buffer, bytes: number, maxBytes: number, hasMore: boolean): RecordedData {
  const end = countWholeCharacters(content, Math.min(maxBytes, content.length));
  return { text: content.subarray(0, end).toString('utf8'), bytes, isCut: hasMore || end < content.length };
}

/** The number of bytes up to `end` that are whole characters. */
function countWholeCharacters(bytes: Uint8Array, end: number): number {
  let start = end - 1;
  while (start >= 0 && start > end - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  const first = bytes[start];
  if (first === undefined) return end;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start + length > end ? start : end;
}
