import { createDiagnostic, type Diagnostic, type SourceLocation } from '../diagnostics/diagnostic.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { SourceText } from './source-text.ts';

/** A file's text, or why it cannot be decoded. */
export type DecodedFile = { readonly source: SourceText } | { readonly diagnostic: Diagnostic };

const UTF16_HELP = 'It looks like UTF-16: save the file as UTF-8';
const BINARY_HELP = 'It looks like a binary file: give a text file of YAML or JSON';

/**
 * Decodes a file strictly as UTF-8. Bytes that are not UTF-8, and NUL, are LNT1018 with the byte offset: guessing the encoding could change
 * the reviewed content. A file that is too large is LNT1017.
 */
export function decode(file: string, bytes: Uint8Array, maxBytes: number = MAX_FILE_BYTES): DecodedFile {
  if (bytes.length > maxBytes) return { diagnostic: reportTooLarge(file, maxBytes) };
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const source = new SourceText(file, text);
  const bad = findInvalidByte(text, bytes);
  if (bad !== undefined) {
    const help = isUtf16(bytes) ? UTF16_HELP : bytes.includes(0) ? BINARY_HELP : undefined;
    return { diagnostic: reportUnreadableAt(source, bad.index, `the file is not UTF-8 at byte ${bad.byte}`, help) };
  }
  const nul = text.indexOf('\0');
  if (nul === -1) return { source };
  const byte = Buffer.byteLength(text.slice(0, nul));
  const help = text.indexOf('\0', nul + 1) === nul + 2 ? UTF16_HELP : undefined;
  return { diagnostic: reportUnreadableAt(source, nul, `the file holds a NUL character at byte ${byte}`, help) };
}

/** Bytes of a file that show its encoding. */
const SAMPLE_BYTES = 1_024;

/** A file with the mark of UTF-16, or in which most characters have a zero as their first or as their second byte, as in Latin script. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [less = 0, more = 0] = zeros.toSorted((a, b) => a - b);
  return less === 0 && more > sample.length / 4;
}

/** The finding for a file above the limit, whose content is not read. */
export function reportTooLarge(file: string, maxBytes: number = MAX_FILE_BYTES): Diagnostic {
  return createDiagnostic('LNT1017', locateStart(file), `the file is larger than ${maxBytes} bytes; it was not read`);
}

/** The finding for a file or folder that cannot be read. */
export function reportUnreadable(file: string, reason: string): Diagnostic {
  return createDiagnostic('LNT1018', locateStart(file), `cannot be read: ${reason}`);
}

/** The decoder replaces invalid bytes by U+FFFD; a U+FFFD in the file itself has three bytes. */
function findInvalidByte(text: string, bytes: Uint8Array): { index: number; byte: number } | undefined {
  let byte = 0;
  let counted = 0;
  for (let index = text.indexOf('\uFFFD'); index !== -1; index = text.indexOf('\uFFFD', index + 1)) {
    byte += Buffer.byteLength(text.slice(counted, index));
    counted = index;
    const isOwn = bytes[byte] === 0xef && bytes[byte + 1] === 0xbf && bytes[byte + 2] === 0xbd;
    if (!isOwn) return { index, byte };
  }
  return undefined;
}

function reportUnreadableAt(source: SourceText, index: number, message: string, help: string | undefined): Diagnostic {
  const offset = index - (source.startsWithMark ? 1 : 0);
  const location = { file: source.file, pointer: '', range: source.range(offset, offset + 1) };
  return createDiagnostic('LNT1018', location, message, help === undefined ? {} : { help });
}

function locateStart(file: string): SourceLocation {
  const start = { line: 1, column: 1, offset: 0 };
  return { file, pointer: '', range: { start, end: start } };
}
