/** Backends that answer each caller differently, and gateways in front of them. */
import { onTestFinished } from 'vitest';
import type { BackendPlan, TokenAuthPlan } from '#schemas';
import { NOTHING_OFFERED, type OfferedItems } from '../../../runtime/gateway/offers/offered-items.ts';
import { type BundleOptions, backendPlan, type TestGateway } from '../../support/gateway.ts';
import type { IdentityProvider } from '../../support/identity-provider.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { post } from '../client-edge/fake-gateway.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';
import { type ClientKind, startServed } from './harness.ts';

export interface TellingBackend {
  readonly server: RawServer;
  /** The method of each accepted request, and its caller. */
  readonly asked: string[];
  readonly plan: BackendPlan;
}

/** The items for a caller; undefined: the caller is refused. */
export type Offering = (caller: string | undefined) => Partial<OfferedItems> | undefined;

/** Starts a backend that answers every request for a name with its own name and the caller's. */
export async function startTelling(
  name: string,
  offering: Offering,
  more: Partial<BackendPlan>,
): Promise<TellingBackend> {
  const asked: string[] = [];
  const server = await startRawServer((request, response) => {
    const caller = /^Bearer for-(\w+)$/.exec(String(request.headers.authorization))?.[1];
    const offered = offering(caller);
    if (offered === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    asked.push(`${request.message?.method} ${caller}`);
    const ran = `ran at ${name} for ${caller}`;
    const all = { ...NOTHING_OFFERED, ...offered };
    const answers: Record<string, object> = {
      'tools/list': { tools: all.tools },
      'prompts/list': { prompts: all.prompts },
      'resources/list': { resources: all.resources },
      'resources/templates/list': { resourceTemplates: all.resourceTemplates },
      'tools/call': { content: [{ type: 'text', text: ran }] },
      'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: ran } }] },
      'resources/read': { contents: [{ uri: 'x:y', text: ran }] },
      'completion/complete': { completion: { values: [ran] } },
      'resources/subscribe': {},
    };
    const open = withHandshake(
      ({ message }, out) => {
        const result = answers[message.method];
        const rest = result === undefined ? { error: { code: -32601, message: 'unknown method' } } : { result };
        sendJson(out, JSON.stringify({ jsonrpc: '2.0', id: message.id, ...rest }));
      },
      undefined,
      { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} },
    );
    return open(request, response);
  });
  onTestFinished(() => server.close());
  return { server, asked, plan: backendPlan(name, `${server.origin}/mcp`, more) };
}

export interface RawCaller {
  /** Sends a request. Returns the result as JSON, or the error. */
  send(method: string, params?: Record<string, unknown>): Promise<string>;
  readonly token: string;
}

/** A gateway for callers of an identity provider. */
export async function startGatewayFor(idp: IdentityProvider, incomingAuth: TokenAuthPlan, bundle: BundleOptions) {
  const gateway = await startServed({ ...bundle, incomingAuth });
  const callerOf = async (kind: ClientKind, sub: string): Promise<RawCaller> => {
    const token = await idp.issue({ claims: { sub } });
    const post = kind === 'session' ? await inSession(gateway, token) : statelessly(gateway, token);
    const send = async (method: string, params: Record<string, unknown> = {}) => {
      const { result, error } = JSON.parse(await post(method, params)) as { result?: object; error?: object };
      return JSON.stringify(result ?? error);
    };
    return { send, token };
  };
  return { gateway, callerOf };
}

type Post = (method: string, params: Record<string, unknown>) => Promise<string>;

async function inSession({ url }: TestGateway, token: string): Promise<Post> {
  const client = new RawClient(url, token);
  await client.open();
  return async (method, params) => (await client.request(method, params)).text;
}

function statelessly({ url }: TestGateway, token: string): Post {
  return async (method, params) => {
    const request = { method, params, headers: { Authorization: `Bearer ${token}` } };
    return (await post(url, formatRequest(request), findHeaders(request))).text;
  };
}
