/** The list of servers for callers who may see certain sources. If several sources have a server, the list has the versions of the first source. */
import type { Snapshot } from '../snapshot.ts';
import { type Catalog, getCatalog, type ListedServer } from './catalog.ts';
import type { Matches } from './trigram-index.ts';

/** Stands for a server that the view takes from an earlier source. */
const SHADOWED = -1;

/** The servers of one source within a view. */
interface ViewPart {
  readonly catalog: Catalog;
  /** For each server of the catalog, its index in the view, ascending, or `SHADOWED`; undefined if the indexes are the same as in the catalog. */
  readonly positions: Int32Array | undefined;
}

let made = 0;

export class View {
  /** A unique number, so that responses for one view are not used for another. */
  readonly id: number = made++;
  /** Sorted by name, in code units. */
  readonly servers: readonly ListedServer[];
  readonly #sources: readonly string[];
  /** The snapshots from which the view was built; undefined for a source that had not been read yet. */
  readonly #snapshots: readonly (Snapshot | undefined)[];
  readonly #parts: readonly ViewPart[];

  /** @param sources in the order of precedence */
  constructor(sources: readonly string[], current: ReadonlyMap<string, Snapshot>) {
    this.#sources = sources;
    this.#snapshots = sources.map(source => current.get(source));
    const catalogs = this.#snapshots.flatMap(snapshot => (snapshot === undefined ? [] : [getCatalog(snapshot)]));
    const [first, ...others] = catalogs;
    if (first === undefined || others.length === 0) {
      this.servers = first?.servers ?? [];
      this.#parts = first === undefined ? [] : [{ catalog: first, positions: undefined }];
    } else {
      const { servers, positions } = merge(catalogs);
      this.servers = servers;
      this.#parts = catalogs.map((catalog, index) => ({ catalog, positions: positions[index] }));
    }
  }

  /** Whether the view was built from these snapshots. */
  isBuiltFrom(current: ReadonlyMap<string, Snapshot>): boolean {
    return this.#sources.every((source, index) => current.get(source) === this.#snapshots[index]);
  }

  /** The index of the first server whose name is not less than the given one. */
  findPosition(name: string): number {
    return lowerBound(this.servers, name);
  }

  /** The indexes, from `from` on, of all servers that may have a version that mentions the case-folded term. */
  findMentioning(term: string, from: number): Matches {
    const found = this.#parts.map(part => new PlacedMatches(part, term, this.#findFirst(part, from)));
    const [only] = found;
    return only !== undefined && found.length === 1 ? only : new MergedMatches(found);
  }

  /** The first server of a part whose index in the view is at least `from`. */
  #findFirst({ catalog, positions }: ViewPart, from: number): number {
    if (positions === undefined) return from;
    const name = this.servers[from]?.name;
    return name === undefined ? catalog.servers.length : lowerBound(catalog.servers, name);
  }
}

class PlacedMatches implements Matches {
  readonly #positions: Int32Array | undefined;
  readonly #matches: Matches;
  /** The next index in the view, without advancing; -1 if there is none. */
  head: number;

  constructor({ catalog, positions }: ViewPart, term: string, first: number) {
    this.#positions = positions;
    this.#matches = catalog.index.find(term, first);
    this.head = this.#advance();
  }

  next(): number {
    const { head } = this;
    if (head !== -1) this.head = this.#advance();
    return head;
  }

  #advance(): number {
    for (let index = this.#matches.next(); index !== -1; index = this.#matches.next()) {
      const position = this.#positions === undefined ? index : (this.#positions[index] ?? SHADOWED);
      if (position !== SHADOWED) return position;
    }
    return -1;
  }
}

class MergedMatches implements Matches {
  readonly #parts: readonly PlacedMatches[];

  constructor(parts: readonly PlacedMatches[]) {
    this.#parts = parts;
  }

  next(): number {
    let first: PlacedMatches | undefined;
    for (const part of this.#parts) {
      if (part.head !== -1 && (first === undefined || part.head < first.head)) first = part;
    }
    return first?.next() ?? -1;
  }
}

function merge(catalogs: readonly Catalog[]): { servers: ListedServer[]; positions: Int32Array[] } {
  const servers: ListedServer[] = [];
  const positions = catalogs.map(({ servers }) => new Int32Array(servers.length).fill(SHADOWED));
  const next = catalogs.map(() => 0);
  for (;;) {
    const heads = catalogs.map(({ servers }, index) => servers[next[index] ?? 0]);
    // With `<`, a server of a later source is only chosen if its name comes earlier; for equal names, the earlier source wins.
    let best = -1;
    heads.forEach((head, index) => {
      const name = heads[best]?.name;
      if (head !== undefined && (name === undefined || head.name < name)) best = index;
    });
    const winner = heads[best];
    if (winner === undefined) return { servers, positions };
    const own = positions[best];
    if (own !== undefined) own[next[best] ?? 0] = servers.length;
    servers.push(winner);
    heads.forEach((head, index) => {
      if (head?.name === winner.name) next[index] = (next[index] ?? 0) + 1;
    });
  }
}

function lowerBound(servers: readonly ListedServer[], name: string): number {
  let [low, high] = [0, servers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((servers[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
