/** Replicas of one issuing gateway, and a load balancer that sends each request to the next, like a Service. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthServerPlan, RedisPlan, UpstreamPlan } from '#schemas';
import { freeOwnPort, listenOnOwnPort } from '../../support/own-port.ts';
import { type IssuingGateway, type IssuingOptions, startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, oidcPlan, startOAuth2Upstream, startOidcUpstream, type TestUpstream } from './upstreams.ts';

export interface Replicas extends AsyncDisposable {
  /** The gateway from the clients' point of view. */
  readonly gateway: Pick<IssuingGateway, 'origin' | 'issuer' | 'url'>;
  readonly company: TestUpstream;
  readonly forge: TestUpstream;
  /** Starts another replica, which gets its share of requests from then on. */
  start(): Promise<void>;
  /** Stops the oldest replica as a rolling update does: it gets no more requests, completes those it has, and stops. */
  stopOldest(): Promise<void>;
  /** Sets the replica for the next request; the following ones continue in turn. */
  next(index: number): void;
}

export type ReplicaOptions = Partial<Omit<IssuingOptions, 'upstreams'>> & {
  readonly authServer?: Partial<AuthServerPlan>;
  /** The upstreams of the gateway; by default both, the company first. */
  readonly upstreams?: (company: TestUpstream, forge: TestUpstream, callback: string) => readonly UpstreamPlan[];
};

const BOTH: NonNullable<ReplicaOptions['upstreams']> = (company, forge, callback) => [
  oidcPlan('company', company, callback),
  oauth2Plan('forge', forge, callback),
];

/** @param count initial number of replicas */
export async function startReplicas(redis: RedisPlan, count: number, options: ReplicaOptions = {}): Promise<Replicas> {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-replicas-'));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return { env: null, file: join(folder, name) };
  };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const plan = {
    storage: { redis },
    signingKeys: [file('key', String(privateKey.export({ type: 'pkcs8', format: 'pem' })))],
    hmacSecrets: [file('hmac', 'a secret of tests '.repeat(4))],
    ...options.authServer,
  };
  const running: { gateway: IssuingGateway; port: number; requests: number }[] = [];
  let turn = 0;
  const balancer = createServer((req, res) => {
    const replica = running[turn++ % running.length];
    if (replica === undefined) return void res.writeHead(503).end();
    replica.requests++;
    const { method, headers, url: path } = req;
    const forwarded = request(
      { host: '127.0.0.1', port: replica.port, method, headers, path, agent: false },
      answer => {
        res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(res);
      },
    );
    forwarded.on('error', () => res.writeHead(502).end());
    res.on('close', () => void replica.requests--);
    req.pipe(forwarded);
  });
  await listenOnOwnPort(balancer);
  const { port } = balancer.address() as { port: number };
  const origin = `http://127.0.0.1:${port}`;
  const company = await startOidcUpstream(`${origin}/oauth/callback`);
  const forge = await startOAuth2Upstream(`${origin}/oauth/callback`);
  const start = async () => {
    const listensAt = await freeOwnPort();
    const gateway = await startIssuingGateway({
      ...options,
      upstreams: callback => (options.upstreams ?? BOTH)(company, forge, callback),
      port,
      listensAt,
      plan,
    });
    await gateway.ready();
    running.push({ gateway, port: listensAt, requests: 0 });
  };
  for (let n = 0; n < count; n++) await start();
  return {
    gateway: { origin, issuer: origin, url: `${origin}/mcp` },
    company,
    forge,
    start,
    stopOldest: async () => void (await running.shift()?.gateway.stop()),
    next: index => {
      turn = index;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { gateway } of running) await gateway.stop();
      balancer.closeAllConnections();
      balancer.close();
      await company.close();
      await forge.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
