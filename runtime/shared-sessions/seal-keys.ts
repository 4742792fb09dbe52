/** Keys with which replicas seal data that clients send back to any of them: ids of tasks, and `requestState`. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { SEAL_KEY_BYTES } from '../sealed-text.ts';
import type { SharedSessions } from './store.ts';

/** Each purpose has a key of its own. */
export type SealPurpose = 'task ids' | 'held calls';

/** Secrets that a replica remembers. When the store loses one, the replicas agree on a new one. */
const MAX_SECRETS = 4;

export class SealKeys {
  readonly #store: Pick<SharedSessions, 'secret' | 'onGap'> | undefined;
  /** The newest first, which seals. Until the store answers, it is a secret that only this process has. */
  #secrets: readonly string[] = [randomBytes(SEAL_KEY_BYTES).toString('base64url')];
  #isShared: boolean;
  #asking: Promise<void> | undefined;
  readonly #derived = new Map<SealPurpose, readonly Buffer[]>();

  /** @param store from which replicas get the secret; without a store, only this process can open what it has sealed */
  constructor(store?: Pick<SharedSessions, 'secret' | 'onGap'>) {
    this.#store = store;
    this.#isShared = store === undefined;
    // When the store has lost the secret, the first replica that reaches the store again writes it back.
    store?.onGap(() => void this.settled());
    void this.settled();
  }

  /** Whether all replicas have the secret: then data that cannot be opened here was sealed by none of them. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** The key that seals, and the earlier keys that can still open. */
  get(purpose: SealPurpose): readonly [Buffer, ...Buffer[]] {
    let keys = this.#derived.get(purpose);
    if (keys === undefined) {
      const info = `lintel ${purpose}`;
      keys = this.#secrets.map(secret => Buffer.from(hkdfSync('sha256', secret, '', info, SEAL_KEY_BYTES)));
      this.#derived.set(purpose, keys);
    }
    return keys as readonly [Buffer, ...Buffer[]];
  }

  /** Resolves when the store has answered, or has failed to. */
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
