import type { Envelope } from '../../mcp/envelope.ts';

const UPDATED = 'notifications/resources/updated';

/** The URI of a changed resource in a backend's notification; undefined for any other notification. */
export function readUpdatedResource({ method, uri }: Envelope): string | undefined {
  return method === UPDATED ? (uri?.value ?? '') : undefined;
}
