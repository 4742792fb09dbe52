/** The client of the API server, as the rest of the controller and its tests may use it. */
export { type CacheEvent, ListWatch } from './cache.ts';
export { createKubeClient, type DisposableKubeClient, type KubeClientOptions } from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export { type KubeConfig, loadKubeConfig } from './config.ts';
export { KubeConfigError } from './config-error.ts';
export { describeLeader, type ElectionEvent, LeaderElection } from './election.ts';
export { EventRecorder } from './events.ts';
export { KubeError } from './kube-error.ts';
export { WorkQueue, type WorkQueueOptions, type YieldWorker } from './queue.ts';
export { RateLimit } from './rate-limit.ts';
export { formatCollectionPath, formatKey, formatObjectPath } from './resource-path.ts';
export type { KubeClient, KubeObject, ListOptions, ObjectKey, ObjectMeta, ObjectType, WatchEvent } from './types.ts';
