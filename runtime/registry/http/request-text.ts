/** Parses the texts of a request's target: decodes them once, and refuses invalid ones. All functions throw `ApiError` with status 400. */
import { ApiError, type DetailParameters, type ListParameters } from '../api.ts';

/** Maximum length of path and query, in characters: several times what a name, a version, and a cursor that contains both need. */
export const MAX_TARGET_LENGTH: number = 8 * 1024;

const WHITE_SPACE_OR_CONTROL = /[\s\p{Cc}]/u;
const CONTROL = /\p{Cc}/u;

/** The name of a server in a path, decoded only once. */
export function parseServerName(raw: string): string {
  const text = decodePathParameter(raw, 'serverName');
  if (WHITE_SPACE_OR_CONTROL.test(text)) throw new ApiError(400, 'serverName has white space or control characters');
  return text;
}

/** A version in a path, decoded once. It may be any text, even with spaces, because listed versions may be. */
export function parseVersion(raw: string): string {
  const text = decodePathParameter(raw, 'version');
  if (CONTROL.test(text)) throw new ApiError(400, 'version has control characters');
  return text;
}

function decodePathParameter(raw: string, name: string): string {
  const text = decodeText(raw, name);
  if (text === '') throw new ApiError(400, `${name} is empty`);
  return text;
}

const DETAIL_NAMES: ReadonlyMap<string, keyof DetailParameters> = new Map([['include_deleted', 'includeDeleted']]);
const LIST_NAMES: ReadonlyMap<string, keyof ListParameters> = new Map([
  ['cursor', 'cursor'],
  ['limit', 'limit'],
  ['search', 'search'],
  ['updated_since', 'updatedSince'],
  ['version', 'version'],
  ['include_deleted', 'includeDeleted'],
]);

/** The parameters of a listing, in a request's target. */
export function listParameters(target: string): ListParameters {
  return parseParameters(target, LIST_NAMES);
}

/** The parameters of requests about one server. */
export function parseDetailParameters(target: string): DetailParameters {
  return parseParameters(target, DETAIL_NAMES);
}

/** Ignores unknown parameters, as the official registry does. It refuses a repeated one, because a proxy may have checked the other value. */
function parseParameters<Name extends string>(
  target: string,
  names: ReadonlyMap<string, Name>,
): { readonly [name in Name]?: string } {
  const found: { [name in Name]?: string } = {};
  const mark = target.indexOf('?');
  if (mark === -1) return found;
  for (const part of target.slice(mark + 1).split('&')) {
    const equals = part.indexOf('=');
    const parameterName = decodeForm(equals === -1 ? part : part.slice(0, equals), 'the query');
    const name = names.get(parameterName);
    if (name === undefined) continue;
    if (found[name] !== undefined) throw new ApiError(400, `${parameterName} is given more than once`);
    found[name] = decodeForm(equals === -1 ? '' : part.slice(equals + 1), parameterName);
  }
  return found;
}

/** Decodes the form encoding that clients use in queries: a plus is a space. */
function decodeForm(raw: string, name: string): string {
  const text = decodeText(raw.replaceAll('+', '%20'), name);
  if (CONTROL.test(text)) throw new ApiError(400, `${name} has control characters`);
  return text;
}

function decodeText(raw: string, name: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new ApiError(400, `${name} is not percent-encoded UTF-8`);
  }
}
