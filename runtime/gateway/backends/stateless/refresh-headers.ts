/**
 * A tool whose backend now requires other arguments as headers. Towards a stateless backend the gateway is the client: it has to read the tool
 * again and send the call once more, since clients with sessions send no such headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#client-behavior
 */
import type { ParamHeader } from '#shared/plan';
import { checkParamHeaders, listMirroredArguments } from '../../../mcp/param-headers.ts';
import { readEnvelope } from '../../../mcp/read-envelope.ts';
import type { BackendRequest } from '../backend.ts';
import type { KnownTools } from '../known-tools.ts';

/**
 * Returns a call that the backend refused for its headers, with the tool's current headers; undefined when they are the same.
 * @throws WireError -32020 when the client's own headers differ, -32602 for a number that cannot be a header
 */
export async function withNewHeaders(request: BackendRequest, tools: KnownTools): Promise<BackendRequest | undefined> {
  const known = refreshHeaders(request, tools);
  if (known !== undefined) return known;
  await tools.readAgain(request.sender);
  return refreshHeaders(request, tools);
}

function refreshHeaders(request: BackendRequest, tools: KnownTools): BackendRequest | undefined {
  const { text, name, paramHeaders = [], unknownHeaders = [] } = request;
  const plan = name === undefined ? undefined : tools.findHeaders(name, request.sender);
  if (plan === undefined) return undefined;
  const call = readEnvelope(text);
  const mirrored = listMirroredArguments(call, plan);
  if (isSame(mirrored, paramHeaders)) return undefined;
  const refreshedHeaders = new Map(toPairs(unknownHeaders));
  const isGiven = ({ header }: ParamHeader) => refreshedHeaders.has(header);
  // If the tool's new headers are among those that the client sent, they are checked: an intermediary has read the client's headers, and the call
  // that runs must agree with them.
  if (plan.some(isGiven)) checkParamHeaders(Object.fromEntries(refreshedHeaders), call, plan.filter(isGiven));
  for (const { header } of plan) refreshedHeaders.delete(header);
  return { ...request, paramHeaders: mirrored, unknownHeaders: [...refreshedHeaders].flat() };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

function toPairs(headers: readonly string[]): [string, string][] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : []));
}
