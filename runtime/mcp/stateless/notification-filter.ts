import { MAX_WATCHED_URI_LENGTH, MAX_WATCHED_URIS_LENGTH } from '../client-limits.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';
import type { NotificationFilter } from './handler.ts';

/** Limit on the resources of one stream. */
export const MAX_RESOURCES = 1000;

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

/** The filter's member for each notification; such a stream carries no other methods. */
const ASKED_BY: ReadonlyMap<string, keyof NotificationFilter> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
  ['notifications/resources/updated', 'resourceSubscriptions'],
]);

/**
 * The filter in the params of `subscriptions/listen`, without unknown members.
 * @throws WireError -32602
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function readFilter(params: unknown): NotificationFilter {
  const { notifications } = params as { notifications?: unknown };
  if (typeof notifications !== 'object' || notifications === null || Array.isArray(notifications)) {
    throw createInvalid('', 'is required and must be an object');
  }
  const requested = notifications as { readonly [member: string]: unknown };
  const filter: { -readonly [K in keyof NotificationFilter]: NotificationFilter[K] } = {};
  for (const list of LISTS) {
    const value = requested[list];
    if (value !== undefined && typeof value !== 'boolean') throw createInvalid(`.${list}`, 'must be true or false');
    if (value === true) filter[list] = true;
  }
  const uris = requested.resourceSubscriptions;
  if (uris === undefined) return filter;
  if (!Array.isArray(uris) || !uris.every(uri => typeof uri === 'string')) {
    throw createInvalid('.resourceSubscriptions', 'must be a list of URIs');
  }
  if (uris.length > MAX_RESOURCES)
    throw createInvalid('.resourceSubscriptions', `must have at most ${MAX_RESOURCES} URIs`);
  checkLengths(uris);
  if (uris.length > 0) filter.resourceSubscriptions = [...new Set(uris)];
  return filter;
}

function checkLengths(uris: readonly string[]): void {
  let length = 0;
  for (const uri of uris) {
    length += uri.length;
    if (uri.length > MAX_WATCHED_URI_LENGTH) {
      throw createInvalid(
        '.resourceSubscriptions',
        `must have no URI of more than ${MAX_WATCHED_URI_LENGTH} characters`,
      );
    }
  }
  if (length > MAX_WATCHED_URIS_LENGTH) {
    throw createInvalid('.resourceSubscriptions', `must have at most ${MAX_WATCHED_URIS_LENGTH} characters`);
  }
}

/** Whether a filter requests a notification. The core decides about resources, because an update may concern a sub-resource. */
export function asksFor(filter: NotificationFilter, method: string): boolean {
  const member = ASKED_BY.get(method);
  return member !== undefined && filter[member] !== undefined && filter[member] !== false;
}

function createInvalid(path: string, what: string): WireError {
  return new WireError(WIRE_CODE.invalidParams, `params.notifications${path} ${what}`);
}
