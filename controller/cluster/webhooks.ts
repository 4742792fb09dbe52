/** Receives webhooks of forges for sources of the cluster. */
import { HOOK_AT_ANNOTATION } from '#schemas';
import { type Address, formatListenProblem } from '#shared/util';
import { systemClock } from '../kube/clock.ts';
import type { KubeClient, ObjectCache } from '../kube/types.ts';
import { ListenError, type Logger } from '../observe/index.ts';
import type { ObservedSource } from '../reconcile/index.ts';
import { type DeliveryResult, type Receiver, type SourceName, startReceiver } from '../webhook/index.ts';
import type { Accounts } from './accounts.ts';
import { GATEWAY_SOURCE } from './caches.ts';

export interface WebhooksOptions {
  readonly address: Address;
  readonly client: Pick<KubeClient, 'patch'>;
  readonly sources: ObjectCache;
  readonly accounts: Accounts;
  /** Schedules a reconcile of a source in this process; false when another process is the leader. */
  readonly add: (title: string) => boolean;
  readonly log: Logger;
  readonly onDelivery: (result: DeliveryResult) => void;
}

/** @throws ListenError */
export async function receiveWebhooks(options: WebhooksOptions): Promise<Receiver> {
  const { address, client, sources, accounts, add, log, onDelivery } = options;
  const secret = async ({ namespace, name }: SourceName, signal: AbortSignal): Promise<string | undefined> => {
    const source = sources.get(namespace, name) as unknown as ObservedSource | undefined;
    const ref = source?.spec.webhook?.secretRef;
    if (source === undefined || ref === undefined) return undefined;
    return (await accounts.findSecret(source, ref.name, signal))?.token;
  };
  const enqueue = ({ namespace, name }: SourceName): void => {
    if (add(`${namespace}/${name}`)) return;
    // The Service sends webhooks to any replica. If this one is not the leader, it sets an annotation on the source, which the leader sees.
    const annotations = { [HOOK_AT_ANNOTATION]: systemClock.date().toISOString() };
    client
      .patch({ ...GATEWAY_SOURCE, namespace, name }, { metadata: { annotations } })
      .catch(error =>
        log.warn(
          { source: `${namespace}/${name}`, error: error.message },
          'a delivery of a webhook cannot be passed to the leader',
        ),
      );
  };
  try {
    return await startReceiver({
      host: address.host,
      port: address.port,
      secret,
      enqueue,
      clock: systemClock,
      log: (level, message, source) =>
        log[level](source === undefined ? {} : { source: `${source.namespace}/${source.name}` }, message),
      onDelivery,
    });
  } catch (error) {
    throw new ListenError(formatListenProblem('--webhook-address', address, error));
  }
}
