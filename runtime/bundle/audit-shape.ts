import { boolean, count, nullable, oneOf, type Shape, string } from './checks.ts';

/** The shape of `audit` in a bundle, with the audit events of this kind of bundle. */
export function auditShape(events: readonly string[]): Shape {
  return {
    component: string,
    eventTypes: [oneOf(...events)],
    excludeEventTypes: [oneOf(...events)],
    includeRequestData: boolean,
    includeResponseData: boolean,
    detectApplicationErrors: boolean,
    maxDataBytes: count,
    maxDelegationDepth: count,
    file: nullable(string),
  };
}
