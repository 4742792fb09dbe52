import { BackendError, type BackendSession } from './backend.ts';
import { requestResult } from './collect.ts';
import type { BackendMonitor } from './health/monitor.ts';

/** How often a subscription is tried that gets no answer, though the backend is well each time. */
const MAX_TRIES = 10;

/**
 * Subscribes on behalf of a client that counts on it already, and is not notified of a failure. A backend that gives no answer is asked
 * again when its monitor has found it well, and not before.
 *
 * @param isWanted asked before each further attempt
 * @throws RpcError when the backend refuses, BackendError when it has not answered in the end
 */
export async function resubscribe(
  {
    session,
    monitor,
  }: { session: Pick<BackendSession, 'request'>; monitor: Pick<BackendMonitor, 'lookSoon' | 'well'> },
  uri: string,
  isWanted: () => boolean,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await requestResult(session, 'resources/subscribe', { uri });
      return;
    } catch (error) {
      if (!isWanted()) return;
      if (!(error instanceof BackendError) || tries === MAX_TRIES) throw error;
    }
    // Once: what fails although the backend is well is not worth a probe each time.
    if (tries === 1) monitor.lookSoon();
    await monitor.well();
    if (!isWanted()) return;
  }
}
