/** Encodes the start of a page as a cursor, which clients return unchanged. A cursor stays valid when the list changes. */
import { ApiError } from '../api.ts';

/** The last item of the previous page: the next page begins strictly after it, whether or not it is still listed. */
export interface Position {
  readonly name: string;
  readonly version: string;
}

/** Maximum length of a cursor in characters, far above what the longest permitted name and version need. */
const MAX_CURSOR_LENGTH = 8_192;

const BAD_CURSOR = 'invalid cursor: pass the nextCursor of the previous page unchanged';

/** Name and version are written as JSON, because a version may contain any character that could separate them, even half a surrogate pair. */
export function encodeCursor({ name, version }: Position): string {
  return Buffer.from(JSON.stringify([name, version])).toString('base64url');
}

/** @throws ApiError 400 for a text that `encodeCursor` would not write */
export function decodeCursor(cursor: string): Position {
  const position = cursor.length > MAX_CURSOR_LENGTH ? undefined : read(cursor);
  // Encodes the position again, because a base64 decoder ignores invalid characters, and only one spelling is valid.
  if (position === undefined || encodeCursor(position) !== cursor) throw new ApiError(400, BAD_CURSOR);
  return position;
}

function read(cursor: string): Position | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [name, version] = value as unknown[];
  return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined;
}
