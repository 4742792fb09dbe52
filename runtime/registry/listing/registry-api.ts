/** Implements the API of the official MCP registry over the snapshots of sources: finds entries, renders answers, and caches them. */
import type { RegistryPlan } from '#schemas';
import {
  ApiError,
  type ApiRequest,
  type DetailParameters,
  type ListParameters,
  type PreparedBody,
  type RegistryApi,
} from '../api.ts';
import type { Snapshot } from '../snapshot.ts';
import { BodyCache } from './body-cache.ts';
import { compareByPublication, type ListedServer, type ListedVersion } from './catalog.ts';
import { encodeCursor } from './cursor.ts';
import { PreparedResponse } from './prepared.ts';
import { type Filter, readIncludeDeleted, readQuery } from './query.ts';
import { renderList, renderServer } from './render.ts';
import { findPositionAfter, isVisible, type ListingPosition, select } from './select.ts';
import type { View } from './view.ts';
import { Views } from './views.ts';

/** Limit on the cached pages of lists without a filter, which many callers request; bytes. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

/** Limit on all other cached answers; bytes. They have their own cache, so that many different searches do not displace those pages. */
const MAX_OTHER_BYTES = 8 * 1024 * 1024;

/**
 * The listing API of some registries.
 * @param snapshots returns the current snapshots by the name of the source; called for each request. A missing source has no entries
 */
export function createRegistryApi(
  registries: readonly RegistryPlan[],
  snapshots: () => ReadonlyMap<string, Snapshot>,
): RegistryApi {
  return new SnapshotApi(registries, snapshots);
}

class SnapshotApi implements RegistryApi {
  readonly #registries: ReadonlySet<string>;
  readonly #views: Views;
  readonly #pages = new BodyCache(MAX_PAGE_BYTES);
  readonly #others = new BodyCache(MAX_OTHER_BYTES, { waitsForSecond: true });

  constructor(registries: readonly RegistryPlan[], snapshots: () => ReadonlyMap<string, Snapshot>) {
    this.#registries = new Set(registries.map(({ name }) => name));
    this.#views = new Views(snapshots);
  }

  servers(request: ApiRequest, parameters: ListParameters): PreparedBody {
    const view = this.#view(request);
    const { after, limit, filter } = readQuery(parameters);
    const from = findPositionAfter(view, after);
    const key = `${view.id} list ${limit} ${from.server}.${from.version} ${filterKey(filter)}`;
    return prepareResponse(isCommon(filter) ? this.#pages : this.#others, key, () => list(view, from, limit, filter));
  }

  versions(request: ApiRequest, name: string, parameters: DetailParameters = {}): PreparedBody {
    const { view, server, position } = this.#find(request, name);
    const includesDeleted = readIncludeDeleted(parameters.includeDeleted);
    const shown = server.versions.filter(version => isVisible(version, includesDeleted));
    if (shown.length === 0) throw createUnknownServer();
    return prepareResponse(this.#others, `${view.id} versions ${position} ${includesDeleted}`, () =>
      renderList(shown.toSorted(compareByPublication), undefined),
    );
  }

  version(request: ApiRequest, name: string, version: string, parameters: DetailParameters = {}): PreparedBody {
    const { view, server, position } = this.#find(request, name);
    const includesDeleted = readIncludeDeleted(parameters.includeDeleted);
    const index = server.versions.findIndex(listed => isNamed(listed, version) && isVisible(listed, includesDeleted));
    const found = server.versions[index];
    if (found === undefined) throw new ApiError(404, 'version not found');
    return prepareResponse(this.#others, `${view.id} version ${position}.${index}`, () => renderServer(found));
  }

  #find(request: ApiRequest, name: string): { view: View; server: ListedServer; position: number } {
    const view = this.#view(request);
    const position = view.findPosition(name);
    const server = view.servers[position];
    if (server?.name !== name) throw createUnknownServer();
    return { view, server, position };
  }

  #view({ registry, sources }: ApiRequest): View {
    if (!this.#registries.has(registry)) throw new ApiError(404, 'registry not found');
    return this.#views.get(sources);
  }
}

function list(view: View, from: ListingPosition, limit: number, filter: Filter): Buffer {
  const { versions, hasMore } = select(view, from, limit, filter);
  const last = versions.at(-1);
  return renderList(versions, hasMore && last !== undefined ? encodeCursor(last.entry) : undefined);
}

function prepareResponse(cache: BodyCache, key: string, render: () => Buffer): PreparedResponse {
  let body = cache.get(key);
  if (body === undefined) {
    body = new PreparedResponse(render());
    cache.set(key, body);
  }
  return body;
}

/** The key of a filter in the caches; the same only for the same filter. */
function filterKey(filter: Filter): string {
  return isCommon(filter) && filter.version === undefined ? '' : JSON.stringify(filter);
}

/** Whether the filter is that of the usual request, which lists a whole registry. */
function isCommon({ term, since, version, includesDeleted }: Filter): boolean {
  return (
    term === undefined && since === undefined && !includesDeleted && (version === undefined || version === 'latest')
  );
}

function isNamed({ entry, isLatest }: ListedVersion, version: string): boolean {
  return version === 'latest' ? isLatest : entry.version === version;
}

function createUnknownServer(): ApiError {
  return new ApiError(404, 'server not found');
}
