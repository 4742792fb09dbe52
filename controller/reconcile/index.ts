/** One reconcile of a GatewaySource: the loop, and its interfaces to a repository, a destination, a forge and a status store. */
export { createReconcileCache, type ReconcileCache } from './cache.ts';
export type {
  Checkout,
  Events,
  FetchOptions,
  Forge,
  Metrics,
  ObservedSource,
  ReconcileContext,
  ReconcileReport,
  Repository,
  Stage,
  StatusStore,
} from './context.ts';
export {
  type ApplyPlan,
  type Destination,
  type LastGood,
  PartlyApplied,
  type PlannedChange,
  type Rollout,
  type SourceHistory,
} from './destination.ts';
export { asFolderError } from './failure.ts';
export { formatUnitKey } from './guards.ts';
export { type FailureOutcome, ReconcileError } from './reasons.ts';
export { reconcileSource } from './reconcile-source.ts';
export { formatRelease, readLastGood } from './unit-states.ts';
