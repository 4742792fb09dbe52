/** The leaves of audit logging, for a gateway or a registry server. */
import { type Leaves, presentation, recorded } from './leaf.ts';

export const AUDIT_LEAVES: Leaves = {
  '': { ...recorded(), alarm: ({ was, is }) => (was != null && is == null ? 'unaudited' : undefined) },
  '.component': presentation(),
  '.eventTypes': { ...recorded(), alarm: ({ was, is }) => (isNarrower(was, is) ? 'unaudited' : undefined) },
  '.excludeEventTypes': { ...recorded(), alarm: ({ was, is }) => (isMissing(is, was) ? 'unaudited' : undefined) },
  '.includeRequestData': recorded(),
  '.includeResponseData': recorded(),
  '.detectApplicationErrors': recorded(),
  '.maxDataBytes': recorded(),
  '.maxDelegationDepth': recorded(),
  '.file': recorded(),
};

/** Whether a list of event types is shorter. An empty list stands for all types. */
function isNarrower(before: unknown, after: unknown): boolean {
  const isAll = (list: unknown) => toItems(list).length === 0;
  return !isAll(after) && (isAll(before) || isMissing(before, after));
}

/** Whether some item of the first list is missing from the second. */
function isMissing(list: unknown, other: unknown): boolean {
  const others = toItems(other);
  return toItems(list).some(item => !others.includes(item));
}

function toItems(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}
