/** Measures what a gateway's authorization server costs, compared with oidc-provider alone with the same key, adapter and store. */
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { RedisPlan } from '#schemas';
import { RedisServer, redisPlan } from '../../../support/redis-server.ts';
import type { CostOptions } from '../call-cost.ts';
import { Load, type Slice } from '../load.ts';
import { type Server, startServer } from '../processes.ts';
import type { BareProviderArguments } from './bare-provider.ts';
import { startIssuer } from './issuer.ts';

const CONNECTIONS = 16;

/** Warm-up before the measurement, milliseconds: V8 optimizes a gateway after ten times as many calls as another program (`v8-tiering.ts`). */
const WARM_MS = 15_000;

const DOCUMENTS = ['jwks.json', 'oauth-authorization-server'].map(name => `/.well-known/${name}`);

/** Slices of the gateway and of the comparison, alternately. */
export interface Compared {
  readonly name: string;
  readonly slices: { readonly gateway: Slice; readonly alone: Slice }[];
}

/** Measures refreshes with token rotation, with a store in memory and in Redis. */
export async function measureRefreshes(options: CostOptions, hasRedis: boolean): Promise<readonly Compared[]> {
  const inMemory = await refreshesIn('in memory', null, options);
  if (!hasRedis) return [inMemory];
  await using server = await RedisServer.start();
  return [inMemory, await refreshesIn('in Redis', redisPlan({ addresses: [server.address] }), options)];
}

async function refreshesIn(where: string, redis: RedisPlan | null, options: CostOptions): Promise<Compared> {
  const { rounds, sliceMs, folder } = options;
  const pem = newKey();
  await using alone = await startBareProvider({ pem, redis, signIns: CONNECTIONS });
  await using gateway = await startIssuer({
    folder,
    pem,
    storage: redis === null ? null : { redis },
    signIns: CONNECTIONS,
  });
  let ours: readonly string[] = gateway.signedIn.map(({ refresh_token: token }) => token);
  let theirs = (await (await fetch(`${alone.url}/tokens`)).json()) as readonly string[];
  using load = new Load();
  const refresh = (url: string, clientId: string, refreshTokens: readonly string[], { pid }: Server, ms: number) =>
    load.run({ url: `${url}/oauth/token`, clientId, refreshTokens, heads: [''], connections: CONNECTIONS, ms }, pid);
  const compared: Compared = { name: `refresh with rotation, ${where}`, slices: [] };
  for (let round = 0; round <= rounds; round++) {
    const ms = round === 0 ? WARM_MS : sliceMs;
    const slices = {
      alone: await refresh(alone.url, 'bench', theirs, alone, ms),
      gateway: await refresh(gateway.issuer, gateway.clientId, ours, gateway, ms),
    };
    [theirs, ours] = [slices.alone.refreshTokens ?? [], slices.gateway.refreshTokens ?? []];
    if (round > 0) compared.slices.push(slices);
  }
  return compared;
}

/** Measures requests for documents, compared with requests for the same text from a server on plain `node:http`. */
export async function measureDocuments({ rounds, sliceMs, folder }: CostOptions): Promise<readonly Compared[]> {
  const pem = newKey();
  await using gateway = await startIssuer({ folder, pem, signIns: 0 });
  const texts = await Promise.all(DOCUMENTS.map(async path => (await fetch(gateway.issuer + path)).text()));
  const prepared = Object.fromEntries(DOCUMENTS.map((path, index) => [path, texts[index] ?? '']));
  await using alone = await startBareProvider({ pem, redis: null, signIns: 0, prepared });
  using load = new Load();
  const get = (url: string, path: string, { pid }: Server, ms: number) =>
    load.run({ url, paths: [path], holds: '{', heads: [''], connections: CONNECTIONS, ms }, pid);
  const documents = DOCUMENTS.map((path): Compared => ({ name: `\`${path}\``, slices: [] }));
  for (let round = 0; round <= rounds; round++) {
    for (const [index, path] of DOCUMENTS.entries()) {
      const ms = round === 0 ? WARM_MS / 3 : sliceMs;
      const slices = {
        alone: await get(alone.url, path, alone, ms),
        gateway: await get(gateway.issuer, path, gateway, ms),
      };
      if (round > 0) documents[index]?.slices.push(slices);
    }
  }
  return documents;
}

function startBareProvider(bare: BareProviderArguments): Promise<Server> {
  const program = join(import.meta.dirname, 'bare-provider.ts');
  return startServer(['--conditions=lintel-source', program, JSON.stringify(bare)]);
}

/** A new private key as PEM. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}
