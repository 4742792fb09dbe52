/** Reads the members of a mapping from another program or a person: each member is either read or reported. */
import { isObject } from '#schemas';
import { findNearest } from '#shared/util';

const NO_LIST = 'is no list, such as ["a", "b"]';
const NO_MAPPING = 'holds no names with values, such as {"NAME": "value"}';

/** A mapping that records which members were read, and which have the wrong type. */
export class MemberReader {
  readonly #value: Readonly<Record<string, unknown>>;
  /** Prefix of names in `problems`. */
  readonly #prefix: string;
  readonly #problems: string[];
  readonly #readNames = new Set<string>();

  /** @param within the parent mapping, which then collects the problems */
  constructor(value: unknown, within?: { readonly members: MemberReader; readonly name: string }) {
    this.#value = isObject(value) ? value : {};
    this.#prefix = within === undefined ? '' : `${within.members.#prefix}${within.name}.`;
    this.#problems = within === undefined ? [] : within.members.#problems;
  }

  /** What cannot be read, one clause for each member: without this report it would be lost silently. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  get(name: string): unknown {
    this.#readNames.add(name);
    const value = this.has(name) ? this.#value[name] : undefined;
    return value === null ? undefined : value;
  }

  /** A nested mapping; empty when missing. */
  within(name: string): MemberReader {
    const value = this.get(name);
    if (value !== undefined && !isObject(value)) this.note(name, NO_MAPPING);
    return new MemberReader(value, { members: this, name });
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value !== undefined && typeof value !== 'string') this.note(name, 'is no text');
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  isOn(name: string): boolean | undefined {
    const value = this.get(name);
    if (value !== undefined && typeof value !== 'boolean') this.note(name, 'is neither true nor false');
    return typeof value === 'boolean' ? value : undefined;
  }

  /** The strings of a list; numbers and Booleans are converted. */
  texts(name: string): readonly string[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.note(name, NO_LIST);
      return undefined;
    }
    if (!value.every(isScalar)) this.note(name, 'holds something that is no text');
    return value.filter(isScalar).map(String);
  }

  /** The mappings in a list. */
  items(name: string): readonly object[] {
    const value = this.get(name);
    if (value === undefined) return [];
    if (!Array.isArray(value) || !value.every(isObject)) this.note(name, 'is no list of mappings');
    return Array.isArray(value) ? value.filter(isObject) : [];
  }

  /** Members of a mapping with string, number or Boolean values, as strings. */
  pairs(name: string): readonly (readonly [name: string, value: string])[] {
    const value = this.get(name);
    if (value === undefined) return [];
    if (!isObject(value)) {
      this.note(name, NO_MAPPING);
      return [];
    }
    return Object.entries(value).flatMap(([key, member]) => {
      if (isScalar(member)) return [[key, String(member)] as const];
      if (member !== null) this.note(`${name}.${key}`, 'is no text');
      return [];
    });
  }

  /** Which of the given names are present. */
  present(names: readonly string[]): readonly string[] {
    for (const name of names) this.#readNames.add(name);
    return names.filter(name => this.has(name));
  }

  /** Names of members that were not read. */
  listUnread(): readonly string[] {
    return Object.keys(this.#value).filter(name => !this.#readNames.has(name));
  }

  /** The known member that an unread one probably means. */
  suggest(name: string): string | undefined {
    return findNearest(
      name,
      [...this.#readNames].filter(known => !this.has(known)),
    );
  }

  /** @param problem a clause that follows the name */
  note(name: string, problem: string): void {
    const text = `${this.#prefix}${name} ${problem}`;
    if (!this.#problems.includes(text)) this.#problems.push(text);
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
