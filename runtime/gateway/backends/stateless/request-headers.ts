/**
 * The headers of a request to a stateless backend, which repeat parts of its body.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers
 */

import { encodeHeaderValue } from '../../../mcp/header-value.ts';
import { STATELESS_REVISION } from '../../../mcp/protocol-revisions.ts';
import { readEnvelope } from '../../../mcp/read-envelope.ts';
import type { BackendRequest } from '../backend.ts';
import { type BackendContext, postHeaders } from '../context.ts';

/** The methods whose object's name is sent in `Mcp-Name`. */
const NAMED: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]);

/** Headers of all requests; names and values alternate. */
export function buildCommonHeaders(context: BackendContext): readonly string[] {
  return [...postHeaders(context), 'mcp-protocol-version', STATELESS_REVISION];
}

/** All headers of one request; names and values alternate. `common`: see `buildCommonHeaders`. */
export function buildStatelessHeaders(
  context: BackendContext,
  request: BackendRequest,
  common: readonly string[] = buildCommonHeaders(context),
): string[] {
  const headers = [...common, 'mcp-method', encodeHeaderValue(request.method)];
  const name = NAMED.has(request.method) ? findName(request) : undefined;
  if (name !== undefined) headers.push('mcp-name', encodeHeaderValue(name));
  if (request.paramHeaders !== undefined) for (const text of request.paramHeaders) headers.push(text);
  if (request.unknownHeaders !== undefined) for (const text of request.unknownHeaders) headers.push(text);
  return headers;
}

/** The relaying code knows the name; without it, the text is parsed again. */
function findName({ text, method, name }: BackendRequest): string | undefined {
  if (name !== undefined) return name;
  const envelope = readEnvelope(text);
  return (method === 'resources/read' ? envelope.uri : envelope.name)?.value;
}
