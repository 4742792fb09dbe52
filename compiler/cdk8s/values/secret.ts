import { isInstanceNamed, noteClass } from '../shared.ts';

/**
 * One key of a Secret in the namespace of the object that refers to it. Created only by {@link Secret.key}, so that a password cannot be passed
 * by mistake.
 */
export class SecretKey {
  readonly #name: string;
  readonly #key: string;

  /** @throws Error for an empty name or key */
  constructor(name: string, key: string) {
    if (name === '' || key === '') throw new Error('a reference to a Secret needs its name and one of its keys');
    this.#name = name;
    this.#key = key;
    noteClass(this, 'SecretKey');
  }

  /** Recognizes instances of any copy of this module. */
  static [Symbol.hasInstance](value: unknown): value is SecretKey {
    return isInstanceNamed(value, 'SecretKey');
  }

  /** Name of the Secret. */
  get name(): string {
    return this.#name;
  }

  /** Key inside the Secret. */
  get key(): string {
    return this.#key;
  }
}

/** References to secrets. A program never contains a secret: it would be in its source and in every manifest. */
export const Secret = {
  /**
   * One key of a Secret.
   *
   * @throws Error for an empty name or key
   * @example
   * OutgoingAuth.header(this, 'letters-key', { header: 'X-Letters-Key', value: Secret.key('letters', 'key') });
   */
  key(name: string, key: string): SecretKey {
    return new SecretKey(name, key);
  },
};
