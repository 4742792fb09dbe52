/** The status of each kind, computed from observations, and how it is written. */
export { findCondition, findOutcome } from './conditions.ts';
export { computeEmbeddingStatus, type EmbeddingStatusInput, selectOwnEmbeddingStatus } from './embedding-status.ts';
export { createAppliedEvent, createMissingSecretEvent } from './gateway/applied-events.ts';
export {
  computeGatewayStatus,
  GATEWAY_CONDITIONS,
  type GatewayStatusInput,
  selectOwnGatewayStatus,
} from './gateway/gateway-status.ts';
export { computeRegistryStatus, selectOwnRegistryStatus } from './gateway/registry-status.ts';
export { requeueAfterMs } from './gateway/requeue-after.ts';
export { computeServerStatus, selectOwnServerStatus } from './gateway/server-status.ts';
export { listSpecConditions } from './gateway/spec-conditions.ts';
export { listStatusEvents, type StatusEvent } from './gateway/status-events.ts';
export type { CompileObservation, EmbeddingObservation, WorkloadStatusInput } from './gateway/status-input.ts';
export { computeGroupStatus, MEMBER_KINDS, readGroupName, selectOwnGroupStatus } from './group-status.ts';
export { isRolledBack, isSameRelease, readHoldReason } from './holds.ts';
export type { Reason } from './reason.ts';
export type { InventoryEntry, UnitState } from './recorded-state.ts';
export {
  computeSourceStatus,
  formatCompiledMessage,
  type SourceState,
  type SourceStatusInput,
  type StepCondition,
} from './source-status.ts';
export { formatTimestamp } from './timestamp.ts';
export { areStatusesEqual, composeStatus, writeStatus } from './write-status.ts';
