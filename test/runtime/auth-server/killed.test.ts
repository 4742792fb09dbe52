/**
 * A process that ends at any step of a sign-in, a registration at an upstream, a refresh, or a renewal of an upstream token: the next process
 * continues with its store, and nothing happens twice.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '#runtime';
import type { OAuth2UpstreamPlan } from '#schemas';
import { Secrets } from '../../../runtime/auth/secrets.ts';
import { type AuthServer, openAuthServer } from '../../../runtime/authserver/open.ts';
import { MemoryStore } from '../../../runtime/authserver/storage/memory-store.ts';
import { RedisStore } from '../../../runtime/authserver/storage/redis-store.ts';
import { type Store, StoreUnavailableError } from '../../../runtime/authserver/storage/store.ts';
import { AuthServerCounts } from '../../../runtime/observe/auth-server-counts.ts';
import { Redis } from '../../../runtime/redis/redis.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { clientTo } from './bare-issuer.ts';
import { RawOAuthClient, type Tokens } from './client.ts';
import { authServerPlan } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream } from './upstreams.ts';

const ended = () => new StoreUnavailableError('the process has ended');

interface Killed {
  readonly store: Store;
  /** Number of operations so far. */
  readonly steps: () => number;
  /** Releases the process's locks, as expiry does after 45 seconds. */
  readonly endLocks: () => Promise<void>;
}

/**
 * The store of a process that ends at one step: before the step takes effect, or after it but before the response is read. Its locks stay held.
 */
function killedAt(store: Store, step: number, when: 'before' | 'after'): Killed {
  let steps = 0;
  const locks: (() => Promise<void>)[] = [];
  const handler: ProxyHandler<Store> = {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || name === 'close') return member;
      return async (...args: unknown[]) => {
        steps++;
        if (steps > step || (steps === step && when === 'before')) throw ended();
        const answer: unknown = await member.apply(target, args);
        const release = typeof answer === 'function' ? (answer as () => Promise<void>) : undefined;
        if (release !== undefined) locks.push(release);
        if (steps >= step) throw ended();
        return release === undefined ? answer : () => (steps >= step ? Promise.reject(ended()) : release());
      };
    },
  };
  return {
    store: new Proxy(store, handler),
    steps: () => steps,
    endLocks: async () => {
      for (const release of locks) await release();
    },
  };
}

interface Run {
  readonly client: RawOAuthClient;
  code: string | undefined;
  redeemed: number;
  tokens: Tokens | undefined;
  refreshed: number;
}

/** Signs a user in and refreshes the tokens until the process ends. */
async function signInAndRefresh(run: Run, renew: (tokens: Tokens) => Promise<void>): Promise<void> {
  const { url } = await run.client.visit();
  run.code = url.searchParams.get('code') ?? undefined;
  if (run.code === undefined) return;
  await redeem(run);
  if (run.tokens === undefined) return;
  await renew(run.tokens);
  await refresh(run, run.tokens.refresh_token);
}

async function redeem(run: Run): Promise<void> {
  const { status, body } = await run.client.redeem(run.code ?? '');
  if (status !== 200) return;
  run.redeemed++;
  run.tokens = body as unknown as Tokens;
}

async function refresh(run: Run, token: string): Promise<void> {
  if ((await run.client.refresh(token)).status === 200) run.refreshed++;
}

/**
 * An upstream at which the gateway registers itself, as another client for other scopes. The upstream reports the same `id` for every user.
 */
function registering(plan: OAuth2UpstreamPlan, endpoint: string, scope: string): OAuth2UpstreamPlan {
  const registration = {
    discoveryUrl: null,
    endpoint,
    initialAccessToken: null,
    softwareId: null,
    softwareStatement: null,
  };
  const userInfo = plan.userInfo && { ...plan.userInfo, subjectFields: ['login'] };
  return { ...plan, clientId: null, clientSecret: null, registration, userInfo, scopes: ['repo', scope] };
}

const TITLE =
  'a gateway that ends at any step of a sign-in accepts no code twice, mixes up no people, and lets a new sign-in start';

/** A hundred sign-ins in sequence. */
const LIMIT = { timeout: 1_800_000 };

test(`with a store in memory, ${TITLE}`, LIMIT, () => endAtEachStep(new MemoryStore()));

withPeers('redis-server').test(
  `with Redis, ${TITLE}`,
  async () => {
    await using server = await RedisServer.start();
    const redis = new Redis(redisPlan({ addresses: [server.address] }), { log: createLogger('silent'), use: 'a test' });
    await redis.ready(60_000);
    await endAtEachStep(new RedisStore({ redis, gateway: { namespace: 'default', name: 'test' } }));
  },
  LIMIT,
);

async function endAtEachStep(kept: Store): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-killed-'));
  // A connection that ends during a request is not an error of the process that is killed here.
  const http = createServer({ keepAliveTimeout: 600_000 });
  await listenOnOwnPort(http);
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const callback = `${issuer}/oauth/callback`;
  const upstream = await startOAuth2Upstream(callback);
  const second = await startOAuth2Upstream(callback);
  // Its tokens have no known expiry, so every user is sent there each time.
  second.accessSeconds = 0;
  const log = createLogger('silent');
  const secrets = new Secrets({ log });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return { env: null, file: join(folder, name) };
  };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Each renewal of the gateway is due at once.
  upstream.accessSeconds = 30;
  const signing = {
    signingKeys: [file('key', String(privateKey.export({ type: 'pkcs8', format: 'pem' })))],
    hmacSecrets: [file('hmac', 'a secret of tests '.repeat(4))],
  };
  const planFor = (scope: string) =>
    authServerPlan(issuer, issuer, {
      upstreams: [
        registering(oauth2Plan('forge', upstream, callback), `${upstream.origin}/register`, scope),
        oauth2Plan('second', second, callback),
      ],
      ...signing,
    });
  let server: AuthServer | undefined;
  const serve = async (store: Store, scope: string) => {
    await server?.close(true);
    const host = { log, observer: new AuthServerCounts(), secrets, client: () => clientTo({}) };
    const gateway = { namespace: 'default', name: 'test' };
    const redis = () => Promise.reject(new Error('no Redis here'));
    server = await openAuthServer(planFor(scope), { ...host, gateway, redis, matcher: async () => () => false }, store);
  };
  http.on('request', (req, res) => {
    const route = server?.route((req.url ?? '').replace(/\?.*$/, ''));
    if (route === undefined) res.writeHead(404).end();
    else route(req, res);
  });
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    secrets.close();
    await server?.close();
    await upstream.close();
    await second.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await serve(kept, 'first');
  const { id } = await RawOAuthClient.registered({ issuer });
  const started = (): Run => {
    const client = new RawOAuthClient({ issuer });
    client.id = id;
    return { client, code: undefined, redeemed: 0, tokens: undefined, refreshed: 0 };
  };
  const personOf = ({ access_token }: Tokens) => decodeJwt(access_token).sub;
  upstream.person = 'bob';
  const bob = personOf(await started().client.signIn());
  const tokensOfBob = new Set(upstream.issued);
  upstream.person = 'alice';

  const renew = async ({ access_token }: Tokens) => {
    const signIn = String(decodeJwt(access_token).tsid);
    await server?.ready(signIn);
    expect(tokensOfBob.has(server?.upstreamTokens(signIn).get('forge')?.accessToken ?? '')).toBe(false);
  };

  let step = 0;
  let isWhole = false;
  while (!isWhole) {
    step++;
    for (const when of ['before', 'after'] as const) {
      const place = `${when} step ${step}`;
      const killed = killedAt(kept, step, when);
      await serve(killed.store, place);
      const run = started();
      await signInAndRefresh(run, tokens => renew(tokens).catch(() => {}));
      isWhole = killed.steps() < step;
      await serve(kept, place);
      await killed.endLocks();
      const given = run.tokens;
      // The client retries with the tokens that it has, as often as it likes.
      if (run.code !== undefined) {
        await redeem(run);
        await redeem(run);
      }
      expect(run.redeemed, `the code counts once, ${place}`).toBeLessThanOrEqual(1);
      // The upstream may have renewed the token without any replica storing it: then the user signs in again.
      if (given !== undefined) await renew(given).catch(error => void expect(error.reason, place).toBe('ended'));
      for (let n = 0; n < 3 && given !== undefined; n++) await refresh(run, given.refresh_token);
      expect(run.refreshed, `a refresh token counts twice at most, ${place}`).toBeLessThanOrEqual(2);
      for (const tokens of [given, run.tokens]) if (tokens !== undefined) expect(personOf(tokens), place).not.toBe(bob);
      const anew = await started().client.signIn();
      expect([personOf(anew) === bob, (await started().client.refresh(anew.refresh_token)).status], place).toEqual([
        false,
        200,
      ]);
    }
  }
  expect(step, 'the chain has that many steps and more').toBeGreaterThan(30);
}
