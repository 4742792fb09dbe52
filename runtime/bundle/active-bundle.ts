import type { Logger } from '../observe/log.ts';
import { BundleError } from './bundle-error.ts';
import type { LoadedBundle, LoadedRegistry } from './load.ts';
import { listStaleSecurity, type SecurityPart } from './stale-security.ts';

/** How the active bundle was loaded, and the result of the last attempt to replace it. */
export interface BundleState {
  readonly digest: string;
  /** Why the newest bundle was refused; null when it is active. */
  readonly refused: string | null;
  readonly staleSecurity: readonly SecurityPart[];
}

/** The active bundle, and its replacement. */
export class ActiveBundle<Loaded extends LoadedBundle | LoadedRegistry> implements BundleState {
  running: Loaded;
  refused: string | null = null;
  staleSecurity: readonly SecurityPart[] = [];
  readonly #log: Logger;

  constructor(loaded: Loaded, log: Logger) {
    this.running = loaded;
    this.#log = log;
  }

  get digest(): string {
    return this.running.digest;
  }

  /**
   * Replaces the active bundle. If anything fails, the active bundle stays and the result is false.
   *
   * @param load loads the new bundle
   * @param activate serves the new bundle, or throws and changes nothing; not called if the digest is unchanged
   */
  async renew(load: () => Promise<Loaded>, activate: (next: Loaded) => Promise<void>): Promise<boolean> {
    let found: Loaded['bundle'] | undefined;
    try {
      const next = await load();
      found = next.bundle;
      if (next.digest !== this.digest) {
        await activate(next);
        this.running = next;
        this.#log.info({ digest: this.digest }, 'serving a new bundle');
      }
      this.refused = null;
      this.staleSecurity = [];
      return true;
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof BundleError) found ??= error.bundle;
      this.staleSecurity = listStaleSecurity(this.running.bundle, found);
      if (message !== this.refused) {
        const { digest, staleSecurity: stale } = this;
        this.#log.error(
          { digest, staleSecurity: stale },
          `the new bundle is refused, and the running bundle stays in use: ${message}`,
        );
      }
      this.refused = message;
      return false;
    }
  }
}
