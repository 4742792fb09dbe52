/** Waits for the first bundle: the process that writes it may start later than the runtime. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../observe/log.ts';
import { NoBundleYet } from './bundle-error.ts';
import { type BundleChoice, locate } from './locate.ts';

/** Polling interval; milliseconds. */
const POLL_MS = 200;

/**
 * Resolves when the path has content that may be a bundle, valid or not. Logs once what it waits for.
 * @throws BundleError for any other problem at the path, which waiting would not fix
 */
export async function waitForBundle(path: string, choice: BundleChoice, log: Logger): Promise<void> {
  for (let looks = 0; ; looks++) {
    try {
      await locate(path, choice);
      return;
    } catch (error) {
      if (!(error instanceof NoBundleYet)) throw error;
      if (looks === 0) log.warn(`${error.message}; waiting until the bundle exists, and serving nothing yet`);
    }
    await wait(POLL_MS);
  }
}
