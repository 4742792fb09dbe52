/** Answers requests for lists, with selectors, pages and revisions. */
import { ApiError, badRequest, expired } from './api-error.ts';
import type { JsonObject } from './json.ts';
import { type ApiRequest, inVersion } from './request.ts';
import { formatApiVersion, formatStorageKey } from './resource-types.ts';
import { fieldSelector, labelSelector, type Selector } from './selectors.ts';
import type { Store } from './store.ts';

interface Continue {
  readonly revision: number;
  /** The last key of the previous page. */
  readonly after: string;
}

export function parseSelector({ namespace, query }: ApiRequest): Selector {
  const byLabel = labelSelector(query.get('labelSelector'));
  const byField = fieldSelector(query.get('fieldSelector'));
  return object =>
    (namespace === '' || (object.metadata as JsonObject).namespace === namespace) && byLabel(object) && byField(object);
}

/** @throws ApiError 410 when the revision is compacted, 504 when it is in the future */
export function list(request: ApiRequest, store: Store): JsonObject {
  const { query, type } = request;
  const token = query.get('continue');
  const from = token === null || token === '' ? undefined : parseContinue(token);
  const revision = from?.revision ?? revisionOf(query, store);
  if (from !== undefined && revision < store.compacted) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
    );
  }
  const selector = parseSelector(request);
  const isNow = revision === store.revision;
  const all = isNow ? store.list(formatStorageKey(type)) : store.listAt(formatStorageKey(type), revision);
  const selected = all.filter(([key, object]) => (from === undefined || key > from.after) && selector(object));
  const limit = Number(query.get('limit') ?? 0);
  const page = limit > 0 ? selected.slice(0, limit) : selected;
  const last = page.at(-1)?.[0];
  const isCut = page.length < selected.length && last !== undefined;
  const isSelected = query.get('labelSelector') || query.get('fieldSelector');
  return {
    kind: `${type.kind}List`,
    apiVersion: formatApiVersion(type),
    metadata: {
      resourceVersion: String(revision),
      // Lists of custom resources always include it.
      ...(!isCut && type.structural !== undefined && { continue: '' }),
      ...(isCut && { continue: Buffer.from(JSON.stringify({ revision, after: last })).toString('base64url') }),
      ...(isCut && !isSelected && { remainingItemCount: selected.length - page.length }),
    },
    // Items of built-in types have neither kind nor version; those of custom resources do.
    items: page.map(([, object]) => {
      if (type.structural !== undefined) return inVersion(type, object);
      const { kind: _, apiVersion: __, ...rest } = object;
      return rest;
    }),
  };
}

function revisionOf(query: URLSearchParams, store: Store): number {
  const text = query.get('resourceVersion') ?? '';
  if (text === '' || text === '0') return store.revision;
  const wanted = parseRevision(text);
  checkNotAhead(wanted, store);
  if (query.get('resourceVersionMatch') !== 'Exact') return store.revision;
  if (wanted < store.compacted) throw expired(`The resourceVersion for the provided list is too old.`);
  return wanted;
}

export function parseRevision(text: string): number {
  if (!/^\d+$/.test(text))
    throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: invalid resource version`);
  return Number(text);
}

export function checkNotAhead(revision: number, store: Store): void {
  if (revision <= store.revision) return;
  throw new ApiError(504, 'Timeout', `Too large resource version: ${revision}, current: ${store.revision}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

function parseContinue(token: string): Continue {
  try {
    const { revision, after } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Continue;
    if (typeof revision === 'number' && typeof after === 'string') return { revision, after };
  } catch {
    // Not a valid token in either case.
  }
  throw badRequest('continue key is not valid');
}
