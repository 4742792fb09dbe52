/** Every server of Lintel that listens for HTTP, each with a request that it answers. */
import { systemClock } from '../../controller/kube/index.ts';
import { ControllerMetrics, InternalServer } from '../../controller/observe/index.ts';
import { startReceiver } from '../../controller/webhook/index.ts';
import { PLAIN, plan, startBridge } from '../bridge/running-bridge.ts';
import { issuingPort, startIssuingGateway } from '../runtime/auth-server/issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream } from '../runtime/auth-server/upstreams.ts';
import { openDoor } from '../runtime/registry-door/served-door.ts';
import { backendPlan, startGateway } from '../support/gateway.ts';

export interface Listening {
  readonly url: string;
  close(): Promise<unknown>;
}

export interface ServerOfOurs {
  readonly name: string;
  start(): Promise<Listening>;
  /** Method and path of a request. */
  readonly target: string;
}

const REGISTRY = `sources: [{ name: ours, file: { path: /srv/ours.json } }]
registries: [{ name: open, sources: [ours] }]
auth: { mode: anonymous }
`;

export const SERVERS: readonly ServerOfOurs[] = [
  { name: 'a gateway', start: () => gateway('url'), target: 'PUT /mcp' },
  { name: 'a gateway over HTTP+SSE', start: () => gateway('url'), target: 'GET /sse' },
  { name: 'the internal address of a gateway', start: () => gateway('internalUrl'), target: 'GET /health' },
  { name: 'an authorization server', start: issuer, target: 'GET /.well-known/oauth-authorization-server' },
  { name: 'a registry server', start: registry, target: 'GET /registry/open/v0.1/servers' },
  { name: 'the receiver of webhooks', start: receiver, target: 'POST /hook/a/b' },
  { name: 'the metrics server of the controller', start: pages, target: 'GET /healthz' },
  { name: 'a bridge', start: bridge, target: 'GET /default/plain/mcp' },
];

async function gateway(address: 'url' | 'internalUrl'): Promise<Listening> {
  const started = await startGateway({ backends: [backendPlan('a', 'http://127.0.0.1:9/mcp')] });
  return { url: started[address], close: () => started.stop() };
}

async function issuer(): Promise<Listening> {
  const port = await issuingPort();
  const upstream = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  const started = await startIssuingGateway({ upstreams: callback => [oauth2Plan('forge', upstream, callback)], port });
  return { url: started.url, close: () => Promise.all([started.stop(), upstream.close()]) };
}

async function registry(): Promise<Listening> {
  const door = await openDoor(REGISTRY);
  return { url: door.origin, close: () => door.close() };
}

async function receiver(): Promise<Listening> {
  const started = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    secret: async () => undefined,
    enqueue() {},
    clock: systemClock,
    refusalMs: 0,
    log() {},
  });
  return { url: `http://127.0.0.1:${started.address.port}`, close: () => started.close() };
}

async function pages(): Promise<Listening> {
  const address = { host: '127.0.0.1', port: 0 };
  const server = await InternalServer.start({
    address,
    metrics: new ControllerMetrics(),
    missing: () => [],
    dashboard: () => 'the dashboard',
  });
  return { url: server.url, close: async () => server[Symbol.asyncDispose]() };
}

async function bridge(): Promise<Listening> {
  const started = await startBridge({ plain: plan(PLAIN) });
  return { url: started.url, close: async () => started[Symbol.asyncDispose]() };
}
