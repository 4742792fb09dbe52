/** Reads and checks the parameters of a listing. */
import { toUtcTime } from '#schemas';
import { ApiError, type ListParameters } from '../api.ts';
import { decodeCursor, type Position } from './cursor.ts';
import { foldCase } from './fold-case.ts';

export const DEFAULT_LIMIT = 30;

/** Maximum number of items on a page; a larger `limit` counts as this number. */
export const MAX_LIMIT = 1_000;

/** Maximum length of a search term in characters; the longest names have 200. */
export const MAX_SEARCH_LENGTH = 256;

export interface Query {
  readonly after: Position | undefined;
  readonly limit: number;
  readonly filter: Filter;
}

/** A filter; all of its conditions must hold. */
export interface Filter {
  /** A case-folded part of the name, the title or the description. */
  readonly term: string | undefined;
  /** A time as `toUtcTime` writes it; later changes pass. */
  readonly since: string | undefined;
  /** `latest`, or exactly this version. */
  readonly version: string | undefined;
  readonly includesDeleted: boolean;
}

/** @throws ApiError 400 that names the parameter */
export function readQuery(parameters: ListParameters): Query {
  const { cursor, limit, search, updatedSince, version, includeDeleted } = parameters;
  const since = readSince(updatedSince);
  return {
    after: isGiven(cursor) ? decodeCursor(cursor) : undefined,
    limit: readLimit(limit),
    filter: {
      term: readTerm(search),
      since,
      version: isGiven(version) ? version : undefined,
      // A client that asks for changes since a time must see deletions, even with `include_deleted=false`.
      includesDeleted: readIncludeDeleted(includeDeleted) || since !== undefined,
    },
  };
}

/** @throws ApiError 400 for a value other than `true` and `false` */
export function readIncludeDeleted(text: string | undefined): boolean {
  if (!isGiven(text) || text === 'false') return false;
  if (text === 'true') return true;
  throw new ApiError(400, 'invalid include_deleted: true or false');
}

function readLimit(text: string | undefined): number {
  if (!isGiven(text)) return DEFAULT_LIMIT;
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new ApiError(400, `invalid limit: a whole number from 1 to ${MAX_LIMIT}`);
  return Math.min(limit, MAX_LIMIT);
}

function readTerm(text: string | undefined): string | undefined {
  if (!isGiven(text)) return undefined;
  if (text.length <= MAX_SEARCH_LENGTH) return foldCase(text);
  throw new ApiError(400, `invalid search: longer than ${MAX_SEARCH_LENGTH} characters`);
}

function readSince(text: string | undefined): string | undefined {
  if (!isGiven(text)) return undefined;
  const since = toUtcTime(text);
  if (since !== undefined) return since;
  // A plus sign that is not encoded is a space in a query.
  const hint = text.includes(' ') ? '; write + as %2B' : '';
  throw new ApiError(400, `invalid updated_since: a date and time of RFC 3339, such as 2026-01-31T12:00:00Z${hint}`);
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
