/**
 * A tool whose backend has begun to ask for other arguments as headers. Towards a stateless backend the gateway is the client:
 * it has to read the tool again and to send the call once more, since clients in sessions know of no headers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#client-behavior
 */
import type { ParamHeader } from '#schemas';
import { checkParamHeaders, mirroredArguments } from '../../../mcp/param-headers.ts';
import { readEnvelope } from '../../../mcp/read-envelope.ts';
import type { BackendRequest } from '../backend.ts';

/** What is known of a backend's tools, by their names there. */
export interface KnownTools {
  /**
   * The arguments that a tool wants to see as headers; undefined for a tool that is not known, or not served.
   *
   * @param sender whom the request is sent for: lists of callers may differ
   */
  findHeaders(tool: string, sender: object | undefined): readonly ParamHeader[] | undefined;
  /**
   * Has the backend's lists read again, once for all that wait for it. Resolves when a reading that has begun since then has
   * ended, well or not.
   *
   * @param sender as for `findHeaders`
   */
  readAgain(sender: object | undefined): Promise<void>;
}

/**
 * A call that was refused for its headers, with those that its tool asks for by now; undefined when they are the same.
 *
 * @throws WireError -32020 when the client itself has sent something else by them, -32602 for a number that none may have
 */
export async function withNewHeaders(request: BackendRequest, tools: KnownTools): Promise<BackendRequest | undefined> {
  const known = newHeaders(request, tools);
  if (known !== undefined) return known;
  await tools.readAgain(request.sender);
  return newHeaders(request, tools);
}

function newHeaders(request: BackendRequest, tools: KnownTools): BackendRequest | undefined {
  const { text, name, paramHeaders = [], unknownHeaders = [] } = request;
  const plan = name === undefined ? undefined : tools.findHeaders(name, request.sender);
  if (plan === undefined) return undefined;
  const call = readEnvelope(text);
  const wanted = mirroredArguments(call, plan);
  if (isSame(wanted, paramHeaders)) return undefined;
  const given = new Map(pairs(unknownHeaders));
  const isGiven = ({ header }: ParamHeader) => given.has(header);
  // A router that read these headers has read something else than what would run.
  if (plan.some(isGiven)) checkParamHeaders(Object.fromEntries(given), call, plan.filter(isGiven));
  for (const { header } of plan) given.delete(header);
  return { ...request, paramHeaders: wanted, unknownHeaders: [...given].flat() };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

function pairs(headers: readonly string[]): [string, string][] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : []));
}
