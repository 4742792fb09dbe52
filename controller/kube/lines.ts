const LF = 0x0a;

/** A line longer than the limit. */
export class LineTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`a line is longer than ${maxBytes} bytes`);
  }
}

/**
 * Splits a byte stream into text lines without line feeds. Lines are split before decoding, so that a character across two chunks stays intact.
 * Data after the last line feed is dropped, because the stream was interrupted.
 *
 * @throws LineTooLongError
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      if (length + end - start > maxBytes) throw new LineTooLongError(maxBytes);
      const rest = bytes.subarray(start, end);
      const line = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
      pieces = [];
      length = 0;
      start = end + 1;
      if (line.length > 0) yield line.toString('utf8');
    }
    if (start === bytes.length) continue;
    length += bytes.length - start;
    if (length > maxBytes) throw new LineTooLongError(maxBytes);
    pieces.push(bytes.subarray(start));
  }
}
