import type { Envelope } from '../../mcp/envelope.ts';

const UPDATED = 'notifications/resources/updated';

/** The URI that a notification of a backend says has changed; undefined for any other notification. */
export function updatedResource({ method, uri }: Envelope): string | undefined {
  return method === UPDATED ? (uri?.value ?? '') : undefined;
}
