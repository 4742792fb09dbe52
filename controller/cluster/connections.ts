/** Opens connections that the controller's parts share: the API client, work queues and leader election. */
import { VERSION } from '#schemas';
import type { CacheEvent } from '../kube/cache.ts';
import { createKubeClient, type DisposableKubeClient } from '../kube/client.ts';
import type { KubeConfig } from '../kube/config.ts';
import { describeLeader, type ElectionEvent, LeaderElection } from '../kube/election.ts';
import { WorkQueue, type WorkQueueOptions } from '../kube/queue.ts';
import type { RateLimit } from '../kube/rate-limit.ts';
import type { ObjectType } from '../kube/types.ts';
import type { ControllerMetrics, Logger } from '../observe/index.ts';
import type { ClusterOptions } from '../options.ts';
import { ReconcileError } from '../reconcile/index.ts';
import { describeError } from './describe-error.ts';
import { NAME } from './names.ts';

/** Maximum number of logged API server warnings, each once. */
const MAX_WARNINGS = 1_000;

/** Receivers of each connection's events. */
export interface Observers {
  readonly config: KubeConfig;
  readonly metrics: ControllerMetrics;
  readonly log: Logger;
}

export function openClient(
  rateLimit: RateLimit | undefined,
  { config, metrics, log }: Observers,
): DisposableKubeClient {
  const seenWarnings = new Set<string>();
  return createKubeClient(config, {
    userAgent: `${NAME}/${VERSION}`,
    ...(rateLimit === undefined ? {} : { rateLimit }),
    onRequest: request => metrics.request(request),
    onWarning: text => {
      if (seenWarnings.has(text) || seenWarnings.size > MAX_WARNINGS) return;
      seenWarnings.add(text);
      log.warn({ warning: text }, 'the API server warns');
    },
  });
}

export function openQueue(
  name: string,
  concurrency: number,
  work: WorkQueueOptions['work'],
  { metrics, log }: Observers,
): WorkQueue {
  let queue: WorkQueue | undefined;
  const idle = { depth: 0, active: 0, unfinished: { totalSeconds: 0, longestSeconds: 0 } };
  const hooks = metrics.queue(name, concurrency, () => queue ?? idle);
  queue = new WorkQueue({
    concurrency,
    work,
    hooks,
    retryWithinMs: error => (error instanceof ReconcileError ? error.retryWithinMs : undefined),
    onError: (key, error, retryMs) => {
      const { reason, stack } = error as Partial<ReconcileError>;
      const isExpected = error instanceof ReconcileError;
      // An expected failure is logged with the outcome of its source, once.
      log[isExpected ? 'debug' : 'warn'](
        { queue: name, key, reason, error: describeError(error), retryMs, ...(isExpected ? {} : { stack }) },
        'failed; requeued',
      );
    },
  });
  return queue;
}

/** Opens leader election; undefined for a single process without election. */
export function openElection(
  client: DisposableKubeClient,
  leaderElection: ClusterOptions['leaderElection'],
  { config, metrics, log }: Observers,
): LeaderElection | undefined {
  if (leaderElection === undefined) return undefined;
  metrics.leading(NAME, false);
  return new LeaderElection({
    client,
    namespace: leaderElection.namespace ?? config.namespace,
    name: NAME,
    identity: leaderElection.identity,
    onEvent: event => logElection(event, leaderElection.identity, log),
  });
}

function logElection(event: ElectionEvent, own: string, log: Logger): void {
  if (event.type === 'failed') log.warn({ error: describeError(event.error) }, 'cannot read the Lease');
  else if (event.type === 'lost') log.error('leadership is lost');
  else log.info({ leader: event.identity }, describeLeader(event.identity, own));
}

export function logCache(type: ObjectType, event: CacheEvent, log: Logger): void {
  const fields = { kind: type.kind, apiVersion: type.apiVersion };
  if (event.type === 'listed') log.debug({ ...fields, objects: event.objects }, 'listed');
  else if (event.type === 'stalled') log.warn(fields, 'the watch stalled; the controller lists the objects again');
  else if (event.type === 'listenerFailed') log.error({ ...fields, err: event.error }, 'a listener failed');
  else log.warn({ ...fields, error: describeError(event.error), retryMs: event.retryMs }, 'cannot watch');
}
