/** Before the first bundle: the process that writes it may be started later than the runtime. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../observe/log.ts';
import { NoBundleYet } from './bundle-error.ts';
import { type BundleChoice, locate } from './locate.ts';

/** How often it is looked; milliseconds. */
const POLL_MS = 200;

/**
 * Resolves when there is something at the path that may be a bundle, good or bad; says once what it waits for.
 *
 * @throws BundleError for what is there and cannot become right by waiting
 */
export async function waitForBundle(path: string, choice: BundleChoice, log: Logger): Promise<void> {
  for (let looks = 0; ; looks++) {
    try {
      await locate(path, choice);
      return;
    } catch (error) {
      if (!(error instanceof NoBundleYet)) throw error;
      if (looks === 0) log.warn(`${error.message}; waiting until it is there, nothing is served yet`);
    }
    await wait(POLL_MS);
  }
}
