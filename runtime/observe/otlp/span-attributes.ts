/**
 * The attributes of the spans of requests.
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */
import { hash } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import type { SentRequest } from '../../mcp/handler.ts';
import { toHttpStatus } from '../../mcp/stateless/http-status.ts';
import { WIRE_CODE } from '../../mcp/wire-error.ts';
import type { RequestEnd, TracedRequest } from '../requests/tracing.ts';

export interface AttributeOptions {
  /** The name of the gateway in its resource. */
  readonly server: string;
  readonly useLegacyAttributes: boolean;
}

/** The attributes of the span of a client's request, as a function that can run after the end of the request. It keeps no message in memory. */
export function requestAttributes(request: TracedRequest, options: AttributeOptions): () => Attributes {
  const { envelope, context, revision, transport, sessionId } = request;
  const { method, id } = envelope;
  const { http } = context;
  const { remoteAddress } = http.socket;
  return () => describe({ method, id, http, revision, transport, sessionId, remoteAddress }, options);
}

interface DescribedRequest
  extends Pick<TracedRequest, 'revision' | 'transport' | 'sessionId'>,
    Pick<TracedRequest['envelope'], 'method' | 'id'>,
    Pick<TracedRequest['context'], 'http'> {
  readonly remoteAddress: string | undefined;
}

function describe(request: DescribedRequest, options: AttributeOptions): Attributes {
  const { method, id, http, revision, sessionId, remoteAddress } = request;
  const path = http.url ?? '';
  const [address, port] = parseHostHeader(http.headers.host);
  const attributes: Attributes = {
    'mcp.method.name': method,
    'mcp.protocol.version': revision,
    'mcp.server.name': options.server,
    'rpc.system.name': 'jsonrpc',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'http.request.method': http.method ?? 'POST',
    'url.path': path,
    'url.full': `http://${http.headers.host ?? ''}${path}`,
    'server.address': address,
    ...(port === undefined ? {} : { 'server.port': port }),
    ...(http.headers['user-agent'] === undefined ? {} : { 'user_agent.original': http.headers['user-agent'] }),
    ...(remoteAddress === undefined ? {} : { 'client.address': remoteAddress }),
    ...(id === undefined ? {} : { 'jsonrpc.request.id': parseId(id) }),
    ...(sessionId === undefined ? {} : { 'mcp.session.id': digestSession(sessionId) }),
  };
  return options.useLegacyAttributes ? { ...attributes, ...toLegacy(request, attributes) } : attributes;
}

/** The attributes under the names that they had before the semantic conventions for MCP. */
function toLegacy({ method, id, http, transport }: DescribedRequest, now: Attributes): Attributes {
  return {
    'http.method': now['http.request.method'],
    'http.url': now['url.full'],
    'http.scheme': 'http',
    'http.host': http.headers.host ?? '',
    'http.target': http.url ?? '',
    ...(http.headers['user-agent'] === undefined ? {} : { 'http.user_agent': http.headers['user-agent'] }),
    'mcp.method': method,
    'mcp.transport': transport,
    'rpc.system': 'jsonrpc',
    'rpc.service': 'mcp',
    ...(id === undefined ? {} : { 'mcp.request.id': parseId(id) }),
  };
}

/** The attributes of a request's target; they are on the span of the client's request and on the span of the request to the backend. */
export function buildNamedAttributes(
  { kind, name }: Pick<SentRequest, 'kind' | 'name'>,
  method: string,
  isLegacy: boolean,
): Attributes {
  if (kind === 'resource')
    return isLegacy ? { 'mcp.resource.uri': name, 'mcp.resource.id': name } : { 'mcp.resource.uri': name };
  return {
    [`gen_ai.${kind}.name`]: name,
    ...(method === 'tools/call' ? { 'gen_ai.operation.name': 'execute_tool' } : {}),
  };
}

/** Attributes of the end of a request. */
export function endAttributes({ errorType, code }: RequestEnd): Attributes {
  if (errorType === '') return {};
  return { 'error.type': errorType, ...(code === undefined ? {} : { 'rpc.response.status_code': code }) };
}

/** The HTTP status of the answer: errors in sessions have 200, except for a denial. */
export function determineStatus({ transport, sessionId }: TracedRequest, { code }: RequestEnd): number {
  if (transport === 'sse') return 202;
  if (code === undefined) return 200;
  const number = Number(code);
  if (sessionId === undefined) return toHttpStatus(number);
  return number === WIRE_CODE.denied ? 403 : 200;
}

/** The id of a session works like a credential: traces contain a digest, which distinguishes sessions and gives no access. */
function digestSession(id: string): string {
  return hash('sha256', id, 'hex').slice(0, 32);
}

/** A string without its quotes. */
function parseId(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** Parses the `Host` header. */
export function parseHostHeader(host = ''): readonly [address: string, port: number | undefined] {
  const { hostname = host, port = '' } = URL.parse(`http://${host}`) ?? {};
  return [hostname, port === '' ? undefined : Number(port)];
}
