import { isInstanceNamed, noteClass } from '../shared.ts';

/** The ConfigMap's name with a prefix becomes a volume name, which has at most 63 characters. */
const MAX_NAME = 48;

/** Certificate authorities as PEM text in a ConfigMap of the same namespace. Created only by {@link CaBundle.configMap}. */
export class CaBundle {
  readonly #name: string;
  readonly #key: string;

  private constructor(name: string, key: string) {
    this.#name = name;
    this.#key = key;
    noteClass(this, 'CaBundle');
  }

  /** Recognizes instances of any copy of this module. */
  static [Symbol.hasInstance](value: unknown): value is CaBundle {
    return isInstanceNamed(value, 'CaBundle');
  }

  /**
   * @param name at most 48 characters
   * @param key holds the PEM text
   * @throws Error for an empty name or key, and for a name that is too long
   * @example
   * Oidc.inline(this, 'corp', { issuer: 'https://id.corp.example', caBundle: CaBundle.configMap('corp-ca') });
   */
  static configMap(name: string, key = 'ca.crt'): CaBundle {
    if (name === '' || key === '') throw new Error('a CA bundle needs the name of a ConfigMap and one of its keys');
    if (name.length > MAX_NAME)
      throw new Error(
        `the ConfigMap "${name}" of a CA bundle has a name of more than ${MAX_NAME} characters: rename it`,
      );
    return new CaBundle(name, key);
  }

  /** Name of the ConfigMap. */
  get name(): string {
    return this.#name;
  }

  /** The key of the ConfigMap that contains the PEM text. */
  get key(): string {
    return this.#key;
  }
}
