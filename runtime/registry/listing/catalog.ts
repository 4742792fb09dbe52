/** The servers of one snapshot, with their versions in order. All views that contain the source share this catalog. */
import { compareText, compareVersions, toUtcTime } from '#schemas';
import type { ServerEntry, Snapshot } from '../snapshot.ts';
import { foldCase } from './fold-case.ts';
import { TrigramIndex } from './trigram-index.ts';

export interface ListedServer {
  readonly name: string;
  /** The versions, newest first; never empty. */
  readonly versions: readonly ListedVersion[];
}

export class ListedVersion {
  readonly entry: ServerEntry;
  readonly isLatest: boolean;
  #updated: string | null | undefined;

  constructor(entry: ServerEntry, isLatest: boolean) {
    this.entry = entry;
    this.isLatest = isLatest;
  }

  /** The time of the last change, as `toUtcTime` writes it, so that later times are greater; null when it is unknown. */
  get updated(): string | null {
    if (this.#updated === undefined) this.#updated = toUtcTime(this.entry.updatedAt) ?? null;
    return this.#updated;
  }
}

/**
 * The order of `/versions`: versions with the latest publication date first, versions without a date last. Among equal dates, the higher version
 * comes first.
 */
export function compareByPublication({ entry: a }: ListedVersion, { entry: b }: ListedVersion): number {
  // Every date is greater than the empty text, so an entry without a date comes last.
  const [published, other] = [toUtcTime(a.publishedAt) ?? '', toUtcTime(b.publishedAt) ?? ''];
  return compareText(other, published) || compareVersions(b.version, a.version);
}

export class Catalog {
  /** Sorted by name, in code units. */
  readonly servers: readonly ListedServer[];
  #index: TrigramIndex | undefined;

  constructor(snapshot: Snapshot) {
    this.servers = groupServers(snapshot.entries);
  }

  /** The search index, created at the first search. It has one text per server for all versions, so each result has to be checked. */
  get index(): TrigramIndex {
    this.#index ??= new TrigramIndex(this.servers.map(searchText));
    return this.#index;
  }
}

const catalogs = new WeakMap<Snapshot, Catalog>();

/** The catalog of a snapshot, created once. */
export function getCatalog(snapshot: Snapshot): Catalog {
  let catalog = catalogs.get(snapshot);
  if (catalog === undefined) {
    catalog = new Catalog(snapshot);
    catalogs.set(snapshot, catalog);
  }
  return catalog;
}

/** Whether the name, the title or the description contains the case-folded term. */
export function mentions({ name, title, description }: ServerEntry, term: string): boolean {
  const has = (text: string): boolean => foldCase(text).includes(term);
  return has(name) || has(description) || (title !== null && has(title));
}

/** @param entries sorted by name */
function groupServers(entries: readonly ServerEntry[]): ListedServer[] {
  const servers: ListedServer[] = [];
  for (let begin = 0; begin < entries.length; ) {
    const name = entries[begin]?.name ?? '';
    let end = begin + 1;
    while (entries[end]?.name === name) end++;
    const newest = entries.slice(begin, end).sort((a, b) => compareVersions(b.version, a.version));
    // A deleted version counts as the latest only if all versions are deleted.
    const latest = newest.find(entry => entry.status !== 'deleted') ?? newest[0];
    servers.push({ name, versions: newest.map(entry => new ListedVersion(entry, entry === latest)) });
    begin = end;
  }
  return servers;
}

function searchText({ name, versions }: ListedServer): string {
  const texts = new Set([name]);
  for (const { entry } of versions) {
    if (entry.title !== null) texts.add(entry.title);
    texts.add(entry.description);
  }
  return foldCase([...texts].join('\n'));
}
