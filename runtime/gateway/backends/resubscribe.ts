import { BackendError } from '../../mcp/backend-error.ts';
import type { BackendSession } from './backend.ts';
import { requestResult } from './collect.ts';

/** How often the gateway sends a subscription that gets no answer although the backend is healthy each time. */
const MAX_TRIES = 10;

/** The health of a backend. A subscription that got no answer waits until the backend is healthy. */
export interface WatchedHealth {
  /** Probes the backend before its next probe is due. */
  probeSoon(): void;
  /** Resolves when a probe has found the backend available, or when probes end. */
  well(): Promise<void>;
}

/**
 * Subscribes on behalf of a client that already relies on the subscription, and does not notify it of a failure. If the backend gives no answer,
 * the gateway sends again only when the monitor has found the backend healthy.
 * @param isStillSubscribed called before each further attempt
 * @throws RpcError when the backend refuses, BackendError when it has not answered after the last attempt
 */
export async function resubscribe(
  { session, monitor }: { readonly session: Pick<BackendSession, 'request'>; readonly monitor: WatchedHealth },
  uri: string,
  isStillSubscribed: () => boolean,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await requestResult(session, 'resources/subscribe', { uri });
      return;
    } catch (error) {
      if (!isStillSubscribed()) return;
      if (!(error instanceof BackendError) || tries === MAX_TRIES) throw error;
    }
    // The gateway probes only once: a backend that fails although it is healthy does not justify a probe each time.
    if (tries === 1) monitor.probeSoon();
    await monitor.well();
    if (!isStillSubscribed()) return;
  }
}
