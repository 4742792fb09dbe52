/**
 * The HMAC secrets of the server: what they name and seal. The first makes, the others only recognize; what was made with a secret that
 * has left the list is void.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { openText, SEAL_KEY_BYTES, sealText } from '../sealed-text.ts';

/** The least size of the current secret, in bytes. */
export const MIN_SECRET_BYTES = 32;

interface DerivedKeys {
  readonly names: Buffer;
  readonly seal: Buffer;
  readonly cookies: string;
}

/** Why a text cannot be an HMAC secret, as the end of a sentence; undefined when it can. */
export function hmacSecretProblem(secret: string): string | undefined {
  return Buffer.byteLength(secret) >= MIN_SECRET_BYTES ? undefined : `holds less than ${MIN_SECRET_BYTES} bytes`;
}

/** The same for the secret of a client. */
export function clientSecretProblem(secret: string): string | undefined {
  return secret === '' ? 'is empty' : undefined;
}

export class SecretRing {
  readonly #secrets: () => readonly string[];
  readonly #derived = new Map<string, DerivedKeys>();

  /** @param secrets the current ones, at least one */
  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets;
  }

  /** The name under which an opaque token is stored: the store never holds what a client has to present. */
  name(area: string, token: string): string {
    return nameBy(this.#current(), area, token);
  }

  /** The names by each secret, the current one first. */
  names(area: string, token: string): readonly string[] {
    return this.#keys().map(keys => nameBy(keys, area, token));
  }

  /** @param purpose bound to the text: what is sealed for one is no other's */
  seal(text: string, purpose: string): string {
    return sealText(text, this.#current().seal, purpose);
  }

  /** Undefined for what no current secret has sealed for that purpose. */
  open(sealed: string, purpose: string): string | undefined {
    for (const { seal } of this.#keys()) {
      const text = openText(sealed, seal, purpose);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Keys of signed cookies. */
  cookieKeys(): string[] {
    return this.#keys().map(({ cookies }) => cookies);
  }

  #current(): DerivedKeys {
    return this.#keys()[0] as DerivedKeys;
  }

  #keys(): readonly DerivedKeys[] {
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

function nameBy({ names }: DerivedKeys, area: string, token: string): string {
  return createHmac('sha256', names).update(`${area} ${token}`).digest('base64url');
}
