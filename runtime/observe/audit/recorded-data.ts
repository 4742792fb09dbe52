/** The beginning of a content: whole characters of UTF-8, limited in bytes, and a mark when the content is longer. */
export interface RecordedData {
  readonly text: string;
  /** Bytes of the whole. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** @param secret text that must not be kept, such as the token of the caller */
export function toRecordedText(text: string, maxBytes: number, secret: string | undefined): RecordedData {
  // A secret across the end of the kept part is found as a whole before the content is cut.
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

  /** @param room number of bytes: more than are kept in the end, so that a secret at the end is seen as a whole */
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

/** Cuts a text of a caller's choice to whole characters. */
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
