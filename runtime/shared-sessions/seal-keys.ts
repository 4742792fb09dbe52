/** The keys with which replicas encrypt data that clients send back to any replica: ids of tasks, and `requestState`. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { SEAL_KEY_BYTES } from '../sealed-text.ts';
import type { SharedSessions } from './store.ts';

/** Each purpose has a key of its own. */
export type SealPurpose = 'task ids' | 'held calls';

/** Maximum number of secrets that a replica remembers. If the store loses the current secret, the replicas agree on a new one. */
const MAX_SECRETS = 4;

export class SealKeys {
  readonly #store: Pick<SharedSessions, 'secret' | 'onGap'> | undefined;
  /** Secrets, newest first; the newest encrypts. Until the store answers, it is a secret that only this process has. */
  #secrets: readonly string[] = [randomBytes(SEAL_KEY_BYTES).toString('base64url')];
  #isShared: boolean;
  #asking: Promise<void> | undefined;
  readonly #derived = new Map<SealPurpose, readonly Buffer[]>();

  /** @param store the store from which replicas get the secret; without a store, only this process can decrypt what it has encrypted */
  constructor(store?: Pick<SharedSessions, 'secret' | 'onGap'>) {
    this.#store = store;
    this.#isShared = store === undefined;
    // If the store has lost its data, the first replica that reaches it again stores its current secret.
    store?.onGap(() => void this.settled());
    void this.settled();
  }

  /** Whether all replicas have the secret. Then data that this replica cannot decrypt comes from none of them. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** The keys for a purpose: the first encrypts and decrypts, the earlier keys after it only decrypt. */
  get(purpose: SealPurpose): readonly [Buffer, ...Buffer[]] {
    let keys = this.#derived.get(purpose);
    if (keys === undefined) {
      const info = `lintel ${purpose}`;
      keys = this.#secrets.map(secret => Buffer.from(hkdfSync('sha256', secret, '', info, SEAL_KEY_BYTES)));
      this.#derived.set(purpose, keys);
    }
    return keys as readonly [Buffer, ...Buffer[]];
  }

  /** Resolves when the store has answered the request for the secret, or when the request has failed. */
  settled(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const [own] = this.#secrets as [string];
    const storedKey = await this.#store?.secret(own).catch(() => undefined);
    if (storedKey === undefined) return;
    this.#isShared = true;
    if (storedKey === own) return;
    this.#secrets = [storedKey, ...this.#secrets.filter(secret => secret !== storedKey)].slice(0, MAX_SECRETS);
    this.#derived.clear();
  }
}
