/**
 * A view of a spec that records which fields were read. Every leaf that a person wrote must be read by lowering, refused, or declared ignored
 * with a reason; remaining leaves are reported. "Accepted but ignored" cannot happen silently.
 */
import type { Path } from '../source/source-document.ts';

/** Why a leaf has no effect, or is not supported. */
export interface LeafNote {
  readonly kind: 'ignored' | 'unsupported';
  readonly path: Path;
  readonly message: string;
  /** The change that would make the field effective, if there is one. */
  readonly fix?: string;
}

/** The state of each part of a document. Reading a path reads everything below it. */
export class ConsumptionTracker {
  readonly remarks: LeafNote[] = [];
  readonly #root = new TrackedPart();

  consume(path: Path): void {
    this.#getPart(path).isConsumed = true;
  }

  isConsumed(path: Path): boolean {
    let part: TrackedPart | undefined = this.#root;
    for (const step of path) part = part?.below.get(step);
    return part?.isConsumed === true;
  }

  remark(remark: LeafNote): void {
    this.consume(remark.path);
    this.remarks.push(remark);
  }

  /** Marks an empty object as read; a non-empty object stays unread. */
  consumeEmpty(path: Path): void {
    this.#getPart(path).isMeaningful = true;
  }

  /** The unread leaves of `value` (scalars, empty objects and lists). */
  listUnread(value: unknown, path: Path): Path[] {
    const paths: Path[] = [];
    collectUnread(value, path, this.#getPart(path), paths);
    return paths;
  }

  #getPart(path: Path): TrackedPart {
    let part = this.#root;
    for (const step of path) {
      let next = part.below.get(step);
      if (next === undefined) {
        next = new TrackedPart();
        part.below.set(step, next);
      }
      part = next;
    }
    return part;
  }
}

/** The state of one part of a document. */
class TrackedPart {
  isConsumed = false;
  /** Whether the object is meaningful even when empty. */
  isMeaningful = false;
  readonly below = new Map<string | number, TrackedPart>();
}

function collectUnread(value: unknown, path: Path, part: TrackedPart | undefined, into: Path[]): void {
  if (part?.isConsumed === true) return;
  const members = listMembers(value);
  if (members.length === 0 && part?.isMeaningful !== true) into.push(path);
  for (const [key, member] of members) collectUnread(member, [...path, key], part?.below.get(key), into);
}

/** One object of a spec with its generated type; `T` has defaults applied. */
export class Tracked<T extends object> {
  readonly path: Path;
  readonly #value: T;
  readonly #ledger: ConsumptionTracker;

  constructor(value: T, path: Path, tracker: ConsumptionTracker) {
    this.#value = value;
    this.path = path;
    this.#ledger = tracker;
    if (listMembers(value).length === 0) tracker.consume(path);
  }

  /** Reads a member as a whole. */
  get<K extends keyof T & string>(key: K): T[K] {
    this.#ledger.consume([...this.path, key]);
    return this.#value[key];
  }

  /** Declares that the presence of this object has an effect, even if it is empty. */
  countsByPresence(): this {
    this.#ledger.consumeEmpty(this.path);
    return this;
  }

  /** Returns a member without marking it as read, to decide which member to read. */
  peek<K extends keyof T & string>(key: K): T[K] {
    return this.#value[key];
  }

  /** An object member, to be read field by field. */
  child<K extends keyof T & string>(key: K): Tracked<Extract<NonNullable<T[K]>, object>> | undefined {
    const member = this.#value[key];
    if (member === undefined || member === null) return undefined;
    return new Tracked(member as Extract<NonNullable<T[K]>, object>, [...this.path, key], this.#ledger);
  }

  /** The items of a list of objects. */
  items<K extends keyof T & string>(key: K): Tracked<ItemOf<T[K]>>[] {
    const list = (this.#value[key] ?? []) as readonly ItemOf<T[K]>[];
    if (list.length === 0) this.#ledger.consume([...this.path, key]);
    return list.map((item, index) => new Tracked(item, [...this.path, key, index], this.#ledger));
  }

  /** The entries of a map of objects, sorted by key. */
  entries<K extends keyof T & string>(key: K): [string, Tracked<ValueOf<T[K]>>][] {
    const map = (this.#value[key] ?? {}) as { readonly [key: string]: ValueOf<T[K]> };
    const keys = Object.keys(map).sort();
    if (keys.length === 0) this.#ledger.consume([...this.path, key]);
    return keys.map(name => [name, new Tracked(map[name] as ValueOf<T[K]>, [...this.path, key, name], this.#ledger)]);
  }

  /** Declares that a present member has no effect, with the reason. */
  ignore<K extends keyof T & string>(key: K, because: string, fix?: string): void {
    if (this.#value[key] === undefined) return;
    const details = fix === undefined ? {} : { fix };
    this.#ledger.remark({ kind: 'ignored', path: [...this.path, key], message: because, ...details });
  }

  /** Ignores each leaf of a member, see `ignore`, because the spec sets each of them. */
  ignoreLeaves<K extends keyof T & string>(key: K, because: string): void {
    const member = this.#value[key];
    if (member === undefined) return;
    for (const path of this.#ledger.listUnread(member, [...this.path, key])) {
      this.#ledger.remark({ kind: 'ignored', path, message: because });
    }
  }

  /** Declares that all present and unread members have no effect. */
  ignoreRest(because: string): void {
    for (const key of Object.keys(this.#value) as (keyof T & string)[]) {
      if (!this.#ledger.isConsumed([...this.path, key])) this.ignore(key, because);
    }
  }

  /** Refuses the object as a whole. */
  refuse(feature: string): void {
    this.#ledger.remark({ kind: 'unsupported', path: this.path, message: feature });
  }

  /** Refuses a present member, because this version does not support it. */
  reportUnsupported<K extends keyof T & string>(key: K, feature: string): void {
    const member = this.#value[key];
    if (member === undefined) return;
    // An empty list requests nothing; an empty object may enable a feature with its defaults.
    if (Array.isArray(member) && member.length === 0) this.#ledger.consume([...this.path, key]);
    else this.#ledger.remark({ kind: 'unsupported', path: [...this.path, key], message: feature });
  }
}

type ItemOf<L> = NonNullable<L> extends readonly (infer I extends object)[] ? I : never;
type ValueOf<M> = NonNullable<M> extends { readonly [key: string]: infer V extends object } ? V : never;

/** The value at `path` below `root`, or undefined. */
export function getValueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    root,
  );
}

function listMembers(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
