/** Opens an MCP session with a backend: sends `initialize` and checks the answer. */

import { isObject } from '#schemas';
import { BackendError } from '../../mcp/backend-error.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { BackendIdentity, BackendRequest } from './backend.ts';
import { collect } from './collect.ts';
import type { BackendContext } from './context.ts';
import { createProtocolError } from './failure.ts';
import { RpcError } from './rpc-error.ts';

/** The revision that the gateway offers. */
const OFFERED_REVISION = '2025-11-25';

/** The revisions with sessions that a backend may choose in its answer. */
export const ACCEPTED_REVISIONS: readonly string[] = [OFFERED_REVISION, '2025-06-18', '2025-03-26', '2024-11-05'];

/** Limit on the answer to `initialize`: 1 MB. */
const MAX_IDENTITY_BYTES = 1024 * 1024;

export const INITIALIZED_TEXT = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/**
 * Sends `initialize` by `send` and checks the answer. `id` is JSON text. The gateway sends the capabilities of the client that the session is
 * for, because it relays the backend's requests to that client.
 * @throws BackendError
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function initialize(
  backend: string,
  id: string,
  { clientInfo, caller }: Pick<BackendContext, 'clientInfo' | 'caller'>,
  send: (request: BackendRequest, sink: ResponseSink) => void,
  signal: AbortSignal,
): Promise<BackendIdentity> {
  const params = JSON.stringify({ protocolVersion: OFFERED_REVISION, capabilities: caller.capabilities, clientInfo });
  const text = `{"jsonrpc":"2.0","id":${id},"method":"initialize","params":${params}}`;
  const request = { text, id, method: 'initialize' };
  try {
    return readIdentity(backend, await collect(backend, request, { maxBytes: MAX_IDENTITY_BYTES, signal }, send));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw createProtocolError(backend, `refused to initialize (JSON-RPC error ${error.code})`);
  }
}

/** Revisions that are older than the header `MCP-Protocol-Version`, and do not have it. */
const WITHOUT_HEADER: readonly string[] = ['2025-03-26', '2024-11-05'];

/** The header that names the revision in every request of a session, if the revision has this header; name and value. */
export function buildVersionHeader({ protocolVersion }: BackendIdentity): readonly string[] {
  return WITHOUT_HEADER.includes(protocolVersion) ? [] : ['mcp-protocol-version', protocolVersion];
}

function readIdentity(backend: string, result: unknown): BackendIdentity {
  const { protocolVersion, capabilities, serverInfo } = (result ?? {}) as Partial<
    Record<keyof BackendIdentity, unknown>
  >;
  if (typeof protocolVersion !== 'string')
    throw createProtocolError(backend, 'its answer to initialize has no protocolVersion');
  if (!ACCEPTED_REVISIONS.includes(protocolVersion)) {
    throw new BackendError(backend, 'protocol_error', `speaks another revision of MCP: ${formatText(protocolVersion)}`);
  }
  return {
    protocolVersion,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: isObject(serverInfo) ? serverInfo : {},
  };
}

function formatText(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
