/** The status of each kind, computed from observations, and how it is written. */
export { findCondition, findOutcome } from './conditions.ts';
export { type EmbeddingStatusInput, embeddingStatus, ownEmbeddingStatus } from './embedding-status.ts';
export { appliedEvent, missingSecretEvent } from './gateway/applied-events.ts';
export type { CompileObservation, EmbeddingObservation, WorkloadStatusInput } from './gateway/facts.ts';
export {
  GATEWAY_CONDITIONS,
  type GatewayStatusInput,
  gatewayStatus,
  ownGatewayStatus,
} from './gateway/gateway-status.ts';
export { ownRegistryStatus, registryStatus } from './gateway/registry-status.ts';
export { requeueAfterMs } from './gateway/requeue-after.ts';
export { ownServerStatus, serverStatus } from './gateway/server-status.ts';
export { specConditions } from './gateway/spec-conditions.ts';
export { type StatusEvent, statusEvents } from './gateway/status-events.ts';
export { groupStatus, MEMBER_KINDS, ownGroupStatus, readGroupName } from './group-status.ts';
export { isRolledBack, isSameRelease, readHoldReason } from './holds.ts';
export {
  compiledMessage,
  type SourceState,
  type SourceStatusInput,
  type StepCondition,
  sourceStatus,
} from './source-status.ts';
export { timestamp } from './timestamp.ts';
export { areStatusesEqual, composeStatus, writeStatus } from './write-status.ts';
