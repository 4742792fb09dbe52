/** The leaves of audit logging, for a gateway or a registry server. */
import { type Leaves, presentation, recorded } from './leaf.ts';

export const AUDIT_LEAVES: Leaves = {
  '': recorded(),
  '.component': presentation(),
  '.eventTypes': recorded(),
  '.excludeEventTypes': recorded(),
  '.includeRequestData': recorded(),
  '.includeResponseData': recorded(),
  '.detectApplicationErrors': recorded(),
  '.maxDataBytes': recorded(),
  '.maxDelegationDepth': recorded(),
  '.file': recorded(),
};
