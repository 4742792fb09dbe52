import { boolean, count, nullable, oneOf, type Shape, string } from './checks.ts';

/** `audit` of a bundle, with the event types of its kind. */
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
