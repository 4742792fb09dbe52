/** Selects the versions for a page of a listing. */

import { compareVersions } from '#schemas';
import { type ListedServer, type ListedVersion, mentions } from './catalog.ts';
import type { Position } from './cursor.ts';
import type { Filter } from './query.ts';
import type { Matches } from './trigram-index.ts';
import type { View } from './view.ts';

/** A position within a view: the index of a server, and the index of one of its versions. */
export interface ListingPosition {
  readonly server: number;
  readonly version: number;
}

export interface Selection {
  readonly versions: readonly ListedVersion[];
  /** Whether further versions follow. */
  readonly hasMore: boolean;
}

/** The position after an item, whether or not this item is still listed. */
export function findPositionAfter(view: View, after: Position | undefined): ListingPosition {
  if (after === undefined) return { server: 0, version: 0 };
  const server = view.findPosition(after.name);
  const found = view.servers[server];
  if (found?.name !== after.name) return { server, version: 0 };
  const version = found.versions.findIndex(({ entry }) => compareVersions(entry.version, after.version) < 0);
  return version === -1 ? { server: server + 1, version: 0 } : { server, version };
}

/** The first `limit` versions from a position on that pass the filter. */
export function select(view: View, from: ListingPosition, limit: number, filter: Filter): Selection {
  const versions: ListedVersion[] = [];
  const places =
    filter.term === undefined ? new EveryPlace(view, from.server) : view.findMentioning(filter.term, from.server);
  for (let position = places.next(); position !== -1; position = places.next()) {
    const server = view.servers[position] as ListedServer;
    for (let i = position === from.server ? from.version : 0; i < server.versions.length; i++) {
      const version = server.versions[i] as ListedVersion;
      if (!passes(version, filter)) continue;
      if (versions.length === limit) return { versions, hasMore: true };
      versions.push(version);
    }
  }
  return { versions, hasMore: false };
}

/** Whether deleted versions are shown, or the version is not deleted. */
export function isVisible({ entry }: ListedVersion, includesDeleted: boolean): boolean {
  return includesDeleted || entry.status !== 'deleted';
}

function passes(listed: ListedVersion, { term, since, version, includesDeleted }: Filter): boolean {
  if (!isVisible(listed, includesDeleted)) return false;
  if (version !== undefined && !(version === 'latest' ? listed.isLatest : listed.entry.version === version))
    return false;
  // An entry without a known time passes, because it may have changed.
  if (since !== undefined && listed.updated !== null && listed.updated <= since) return false;
  return term === undefined || mentions(listed.entry, term);
}

class EveryPlace implements Matches {
  readonly #count: number;
  #next: number;

  constructor(view: View, from: number) {
    this.#count = view.servers.length;
    this.#next = from;
  }

  next(): number {
    return this.#next < this.#count ? this.#next++ : -1;
  }
}
