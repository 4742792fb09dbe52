/** The start of a page, in the form that clients return; its meaning does not depend on the current list. */
import { ApiError } from '../api.ts';

/** The last item of the previous page: the next page begins strictly after it, whether or not it is still listed. */
export interface Position {
  readonly name: string;
  readonly version: string;
}

/** Far above the length that the longest permitted name and version need, in characters. */
const MAX_CURSOR_LENGTH = 8_192;

const BAD_CURSOR = 'invalid cursor: pass the nextCursor of the previous page unchanged';

/** JSON, not a separator: a version may hold any character, and half a surrogate pair too. */
export function encodeCursor({ name, version }: Position): string {
  return Buffer.from(JSON.stringify([name, version])).toString('base64url');
}

/** @throws ApiError 400 for a text that `encodeCursor` would not write */
export function decodeCursor(cursor: string): Position {
  const position = cursor.length > MAX_CURSOR_LENGTH ? undefined : read(cursor);
  // Only one spelling is valid: a base64 decoder ignores unknown characters.
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
