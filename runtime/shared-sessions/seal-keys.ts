/** Keys by which replicas seal what clients bring back to any of them: ids of tasks, and `requestState`. */
import { hkdfSync, randomBytes } from 'node:crypto';
import { SEAL_KEY_BYTES } from '../sealed-text.ts';
import type { SharedSessions } from './store.ts';

/** What is sealed with a key of its own. */
export type SealPurpose = 'task ids' | 'held calls';

/** Secrets that are remembered: the store may lose one, and replicas agree on another then. */
const MAX_SECRETS = 4;

export class SealKeys {
  readonly #store: Pick<SharedSessions, 'secret' | 'onGap'> | undefined;
  /** The one to seal with comes first. Until the store has answered it is one of this process, which no other replica has. */
  #secrets: readonly string[] = [randomBytes(SEAL_KEY_BYTES).toString('base64url')];
  #isShared: boolean;
  #asking: Promise<void> | undefined;
  readonly #derived = new Map<SealPurpose, readonly Buffer[]>();

  /** @param store where replicas find the secret; without one, this process alone opens what it has sealed */
  constructor(store?: Pick<SharedSessions, 'secret' | 'onGap'>) {
    this.#store = store;
    this.#isShared = store === undefined;
    // A store that has lost the secret gets it back from the first replica that reaches it again.
    store?.onGap(() => void this.settled());
    void this.settled();
  }

  /** Whether what does not open here was sealed by none of the replicas. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** The key to seal with, and those that open what was sealed before. */
  of(purpose: SealPurpose): readonly [Buffer, ...Buffer[]] {
    let keys = this.#derived.get(purpose);
    if (keys === undefined) {
      const info = `lintel ${purpose}`;
      keys = this.#secrets.map(secret => Buffer.from(hkdfSync('sha256', secret, '', info, SEAL_KEY_BYTES)));
      this.#derived.set(purpose, keys);
    }
    return keys as readonly [Buffer, ...Buffer[]];
  }

  /** Resolves when the store has answered or cannot be asked. */
  settled(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const [own] = this.#secrets as [string];
    const kept = await this.#store?.secret(own).catch(() => undefined);
    if (kept === undefined) return;
    this.#isShared = true;
    if (kept === own) return;
    this.#secrets = [kept, ...this.#secrets.filter(secret => secret !== kept)].slice(0, MAX_SECRETS);
    this.#derived.clear();
  }
}
