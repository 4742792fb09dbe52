/** A process that ends at any step of a sign-in or of a refresh: the next one goes on with its store, and nothing counts twice. */
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
import { type Store, StoreUnavailableError } from '../../../runtime/authserver/storage/store.ts';
import { AuthServerCounts } from '../../../runtime/observe/auth-server-counts.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { clientTo } from './bare-issuer.ts';
import { RawOAuthClient, type Tokens } from './client.ts';
import { authServerPlan } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream } from './upstreams.ts';

interface Killed {
  readonly store: Store;
  /** Operations so far. */
  readonly steps: () => number;
}

/** The store as a process has it that ends at one step: before it has an effect, or after it and before the answer is read. */
function killedAt(store: Store, step: number, when: 'before' | 'after'): Killed {
  let steps = 0;
  const handler: ProxyHandler<Store> = {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || name === 'close') return member;
      return async (...args: unknown[]) => {
        steps++;
        if (steps === step && when === 'after') await member.apply(target, args);
        if (steps >= step) throw new StoreUnavailableError('the process has ended');
        return member.apply(target, args);
      };
    },
  };
  return { store: new Proxy(store, handler), steps: () => steps };
}

interface Run {
  readonly client: RawOAuthClient;
  code: string | undefined;
  redeemed: number;
  tokens: Tokens | undefined;
  refreshed: number;
}

/** As far as it goes. */
async function signInAndRefresh(run: Run): Promise<void> {
  const { url } = await run.client.visit();
  run.code = url.searchParams.get('code') ?? undefined;
  if (run.code === undefined) return;
  await redeem(run);
  if (run.tokens !== undefined) await refresh(run, run.tokens.refresh_token);
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

/** Everybody has the same `id` there. */
function byLogin(plan: OAuth2UpstreamPlan): OAuth2UpstreamPlan {
  return { ...plan, userInfo: plan.userInfo && { ...plan.userInfo, subjectFields: ['login'] } };
}

test('no step at which it ends lets a code count twice, mixes up people, or keeps anybody from starting again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-killed-'));
  const http = createServer();
  await listenOnOwnPort(http);
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const callback = `${issuer}/oauth/callback`;
  const upstream = await startOAuth2Upstream(callback);
  const second = await startOAuth2Upstream(callback);
  // Nobody knows when its tokens end, so everybody goes there each time.
  second.accessSeconds = 0;
  const log = createLogger('silent');
  const secrets = new Secrets({ log });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return { env: null, file: join(folder, name) };
  };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const plan = authServerPlan(issuer, issuer, {
    upstreams: [byLogin(oauth2Plan('forge', upstream, callback)), oauth2Plan('second', second, callback)],
    signingKeys: [file('key', String(privateKey.export({ type: 'pkcs8', format: 'pem' })))],
    hmacSecrets: [file('hmac', 'a secret of tests '.repeat(4))],
  });
  const kept = new MemoryStore();
  let server: AuthServer | undefined;
  const serve = async (store: Store) => {
    await server?.close(true);
    const host = { log, observer: new AuthServerCounts(), secrets, client: () => clientTo({}) };
    const gateway = { namespace: 'default', name: 'test' };
    const redis = () => Promise.reject(new Error('no Redis here'));
    server = await openAuthServer(plan, { ...host, gateway, redis, matcher: async () => () => false }, store);
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
  await serve(kept);
  const { id } = await RawOAuthClient.registered({ issuer });
  const started = (): Run => {
    const client = new RawOAuthClient({ issuer });
    client.id = id;
    return { client, code: undefined, redeemed: 0, tokens: undefined, refreshed: 0 };
  };
  const personOf = ({ access_token }: Tokens) => decodeJwt(access_token).sub;
  upstream.person = 'bob';
  const bob = personOf(await started().client.signIn());
  upstream.person = 'alice';

  let step = 0;
  let isWhole = false;
  while (!isWhole) {
    step++;
    for (const when of ['before', 'after'] as const) {
      const place = `${when} step ${step}`;
      const killed = killedAt(kept, step, when);
      await serve(killed.store);
      const run = started();
      await signInAndRefresh(run);
      isWhole = killed.steps() < step;
      await serve(kept);
      const given = run.tokens;
      // The client tries again with what it has, as often as it likes.
      if (run.code !== undefined) {
        await redeem(run);
        await redeem(run);
      }
      expect(run.redeemed, `the code counts once, ${place}`).toBeLessThanOrEqual(1);
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
  expect(step, 'the chain has that many steps and more').toBeGreaterThan(20);
});
