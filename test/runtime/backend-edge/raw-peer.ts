import type { NamedBackendSession } from '../../../runtime/gateway/backends/backend.ts';
import {
  type RawHandler,
  type RawRequest,
  type RawServer,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { type Edge, planFor } from './harness.ts';

export interface RawPeerOptions {
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly connections?: number;
  readonly path?: string;
}

/** A session with a raw Streamable HTTP server that opens sessions called `s-1` and answers requests with `handler`. */
export async function connect(
  edge: Edge,
  handler: RawHandler,
  options: RawPeerOptions = {},
): Promise<{ server: RawServer; session: NamedBackendSession }> {
  const { timeoutMs, path = '/mcp', ...limits } = options;
  const server = await edge.server(startRawServer(withHandshake(handler, 's-1')));
  const plan = planFor(`${server.origin}${path}`, 'streamable-http', timeoutMs);
  return { server, session: edge.sessionful(plan, edge.client(limits)) };
}

/** The JSON text of a response with `result`, which is JSON text itself. */
export function answerTo(request: RawRequest, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(request.message.id)},"result":${result}}`;
}
