import { isObject } from '#schemas';

/** Members of a value that another program wrote: each is read, or reported. */

/** A mapping that knows which of its members were asked for. */
export class Members {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #asked = new Set<string>();

  constructor(value: unknown) {
    this.#value = isObject(value) ? value : {};
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  get(name: string): unknown {
    this.#asked.add(name);
    const value = this.has(name) ? this.#value[name] : undefined;
    return value === null ? undefined : value;
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  /** The texts of a list; what is no text is left out. */
  texts(name: string): readonly string[] | undefined {
    const value = this.get(name);
    return Array.isArray(value) ? value.filter(item => typeof item === 'string') : undefined;
  }

  /** Members of a mapping whose values are texts, numbers or switches, as texts. */
  pairs(name: string): readonly (readonly [name: string, value: string])[] {
    const value = this.get(name);
    if (!isObject(value)) return [];
    return Object.entries(value).flatMap(([key, member]) =>
      ['string', 'number', 'boolean'].includes(typeof member) ? [[key, String(member)] as const] : [],
    );
  }

  /** The given names that are there. */
  present(names: readonly string[]): readonly string[] {
    for (const name of names) this.#asked.add(name);
    return names.filter(name => this.has(name));
  }

  /** Names of what was not asked for. */
  unread(): readonly string[] {
    return Object.keys(this.#value).filter(name => !this.#asked.has(name));
  }
}
