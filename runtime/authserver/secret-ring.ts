/**
 * The HMAC secrets of the authorization server, from which names and encryption keys are derived. New names and data use the first secret; the
 * other secrets only find and decrypt older ones. Data of a removed secret is invalid.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { openText, SEAL_KEY_BYTES, sealText } from '../sealed-text.ts';

/** Minimum size of the current secret, in bytes. */
export const MIN_SECRET_BYTES = 32;

interface DerivedKeys {
  readonly names: Buffer;
  readonly seal: Buffer;
  readonly cookies: string;
}

/** Why a text is not a valid HMAC secret, as the end of a sentence; undefined when it is. */
export function findHmacSecretProblem(secret: string): string | undefined {
  return Buffer.byteLength(secret) >= MIN_SECRET_BYTES ? undefined : `has less than ${MIN_SECRET_BYTES} bytes`;
}

/** Why a text is not a valid client secret, as the end of a sentence; undefined when it is. */
export function findClientSecretProblem(secret: string): string | undefined {
  return secret === '' ? 'is empty' : undefined;
}

export class SecretRing {
  readonly #secrets: () => readonly string[];
  readonly #derived = new Map<string, DerivedKeys>();

  /** @param secrets the current ones, at least one */
  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** The name of an opaque token in the store: the store never contains the token that a client presents. */
  deriveName(area: string, token: string): string {
    return deriveName(this.#getCurrentKeys(), area, token);
  }

  /** The names derived from each secret, the current one first. */
  deriveNames(area: string, token: string): readonly string[] {
    return this.#listKeys().map(keys => deriveName(keys, area, token));
  }

  /** @param purpose bound to the text: data sealed for one purpose is invalid for another */
  seal(text: string, purpose: string): string {
    return sealText(text, this.#getCurrentKeys().seal, purpose);
  }

  /** Undefined for data that no current secret sealed for that purpose. */
  open(sealed: string, purpose: string): string | undefined {
    for (const { seal } of this.#listKeys()) {
      const text = openText(sealed, seal, purpose);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Keys of signed cookies. */
  deriveCookieKeys(): string[] {
    return this.#listKeys().map(({ cookies }) => cookies);
  }

  #getCurrentKeys(): DerivedKeys {
    return this.#listKeys()[0] as DerivedKeys;
  }

  #listKeys(): readonly DerivedKeys[] {
    return this.#secrets().map(secret => {
      let keys = this.#derived.get(secret);
      if (keys === undefined) {
        const derive = (use: string) =>
          Buffer.from(hkdfSync('sha256', secret, '', `lintel auth server ${use}`, SEAL_KEY_BYTES));
        keys = { names: derive('names'), seal: derive('seal'), cookies: derive('cookies').toString('base64url') };
        this.#derived.set(secret, keys);
      }
      return keys;
    });
  }
}

function deriveName({ names }: DerivedKeys, area: string, token: string): string {
  return createHmac('sha256', names).update(`${area} ${token}`).digest('base64url');
}
