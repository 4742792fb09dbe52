/** Several replicas with one Redis: users and clients notice neither which replica answers nor that one stops. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { withPeers } from '../../support/peers.ts';
import { RedisCluster, RedisSentinelSet, RedisServer, redisPlan } from '../../support/redis-server.ts';
import { CALLBACK, callerStatus, RawOAuthClient } from './client.ts';
import { type Replicas, startReplicas } from './replicas.ts';

withPeers('redis-server').describe('two replicas', () => {
  let server: RedisServer;
  let replicas: Replicas;
  let shared: RawOAuthClient;
  beforeAll(async () => {
    server = await RedisServer.start();
    replicas = await startReplicas(redisPlan({ addresses: [server.address] }), 2);
    shared = await RawOAuthClient.registered(replicas.gateway);
  });
  afterAll(async () => {
    await replicas[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const another = () => {
    const client = new RawOAuthClient(replicas.gateway);
    client.id = shared.id;
    return client;
  };

  test.each([0, 1])(
    'a sign-in and its renewals succeed when the requests alternate between two replicas, beginning at replica %i',
    async first => {
      const client = another();
      replicas.next(first);
      let tokens = await client.signIn();
      for (let n = 0; n < 3; n++) {
        expect(await callerStatus(replicas.gateway, tokens.access_token)).toBe(200);
        const { status, body } = await client.refresh(tokens.refresh_token);
        expect(status, JSON.stringify(body)).toBe(200);
        tokens = body as unknown as typeof tokens;
      }
    },
  );

  test('no entry in Redis contains a token in plain text', async () => {
    const client = another();
    const { access_token, refresh_token } = await client.signIn();
    const keys = (await server.tell('KEYS', '*')) as string[];
    const texts = await Promise.all(keys.filter(key => !key.includes(':group:')).map(key => server.tell('GET', key)));
    const dump = JSON.stringify([keys, texts]);
    expect(texts.length).toBeGreaterThan(5);
    expect(dump).toContain('sealed');
    for (const secret of [refresh_token, access_token, ...replicas.forge.issued]) expect(dump).not.toContain(secret);
  });

  test('of many concurrent requests that redeem one code, at most one gets tokens, and the others make the server revoke these tokens', async () => {
    const client = another();
    const code = await client.code();
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.redeem(code)));
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeLessThanOrEqual(1);
    for (const { body } of served) expect((await client.refresh(String(body.refresh_token))).status).toBe(400);
  });

  test('of many concurrent requests that use one refresh token, at most two get tokens, and the server then revokes all tokens of the sign-in', async () => {
    const client = another();
    const { refresh_token } = await client.signIn();
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.refresh(refresh_token)));
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeLessThanOrEqual(2);
    for (const { body } of served) expect((await client.refresh(String(body.refresh_token))).status).toBe(400);
    expect((await client.refresh(refresh_token)).body.error).toBe('invalid_grant');
  });

  test('when several replicas get a request with an expiring upstream token, only one of them renews the token', async () => {
    // A caller that has not signed in before, and has no valid token.
    replicas.company.person = 'carol';
    replicas.forge.accessSeconds = 40;
    onTestFinished(() => {
      replicas.company.person = 'alice';
      replicas.forge.accessSeconds = 3600;
    });
    const { access_token } = await another().signIn();
    replicas.forge.accessSeconds = 3600;
    const before = replicas.forge.renewals;
    const statuses = await Promise.all(Array.from({ length: 8 }, () => callerStatus(replicas.gateway, access_token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(replicas.forge.renewals - before).toBe(1);
  });

  test('a rolling update of the replicas loses neither a sign-in under way nor a session', async () => {
    const [client, waiting] = [another(), another()];
    const tokens = await client.signIn();
    const page = await waiting.browser.open(waiting.authorizationUrl());
    for (let n = 0; n < 2; n++) {
      await replicas.start();
      await replicas.stopOldest();
    }
    expect(await callerStatus(replicas.gateway, tokens.access_token)).toBe(200);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
    const end = await waiting.browser.submit(page, 'allow', CALLBACK);
    expect((await waiting.redeem(end.url.searchParams.get('code') ?? '')).status).toBe(200);
  });

  test('while Redis is unavailable, the authorization server asks clients to try again, and access tokens stay valid', async () => {
    const client = another();
    const { access_token, refresh_token } = await client.signIn();
    server.hang();
    onTestFinished(() => server.goOn());
    const { status, body, headers } = await client.refresh(refresh_token);
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'temporarily_unavailable', '5']);
    const page = await another().browser.open(client.authorizationUrl(), CALLBACK);
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('The server cannot reach its store now.')]);
    server.goOn();
    await expect.poll(async () => (await client.refresh(refresh_token)).status, { interval: 1_000 }).toBe(200);
    await expect.poll(() => callerStatus(replicas.gateway, access_token)).toBe(200);
  });
});

withPeers('redis-server').describe('two gateways that share a Redis', () => {
  test('a gateway does not know the clients of another gateway that uses the same Redis, and refuses the tokens of that gateway', async () => {
    await using server = await RedisServer.start();
    const redis = redisPlan({ addresses: [server.address] });
    await using one = await startReplicas(redis, 1);
    await using two = await startReplicas(redis, 1, { name: 'another' });
    const client = await RawOAuthClient.registered(one.gateway);
    const { access_token, refresh_token } = await client.signIn();
    const stranger = new RawOAuthClient(two.gateway);
    stranger.id = client.id;
    expect((await stranger.visit()).text, 'they do not even know the client').toContain('not known here');
    const registered = await RawOAuthClient.registered(two.gateway);
    expect((await registered.refresh(refresh_token, { client_id: client.id })).status).toBeGreaterThanOrEqual(400);
    expect((await registered.refresh(refresh_token)).body.error).toBe('invalid_grant');
    expect(await callerStatus(two.gateway, access_token)).toBe(401);
    expect((await client.refresh(refresh_token)).status).toBe(200);
  });
});

describe('other kinds of Redis', () => {
  withPeers('redis-server').test(
    'a client stays signed in when the slot of the gateway moves to another node of a Redis cluster',
    async () => {
      await using cluster = await RedisCluster.start();
      await using replicas = await startReplicas(redisPlan({ addresses: cluster.addresses, mode: 'cluster' }), 2);
      const client = await RawOAuthClient.registered(replicas.gateway);
      const { access_token, refresh_token } = await client.signIn();
      // The gateway's single hash slot moves to the next node.
      await cluster.move('lintel:auth:{default:test}:client:x');
      expect((await client.refresh(refresh_token)).status).toBe(200);
      expect(await callerStatus(replicas.gateway, access_token)).toBe(200);
      const other = new RawOAuthClient(replicas.gateway);
      other.id = client.id;
      expect(decodeJwt((await other.signIn()).access_token).sub).toBe(decodeJwt(access_token).sub);
    },
  );

  withPeers('redis-server', 'redis-sentinel').test(
    'a sign-in under way and a session survive a failover of Redis behind sentinels over TLS',
    async () => {
      await using set = await RedisSentinelSet.start({ tls: true });
      const addresses = set.sentinels.map(({ address }) => address);
      const [{ caFile = '' } = {}] = set.servers;
      const tls = { ca: { env: null, file: caFile }, insecureSkipVerify: false };
      const plan = redisPlan({ mode: 'sentinel', addresses, masterName: 'main', tls, sentinelTls: tls });
      await using replicas = await startReplicas(plan, 2);
      const client = await RawOAuthClient.registered(replicas.gateway);
      const tokens = await client.signIn();
      const waiting = new RawOAuthClient(replicas.gateway);
      waiting.id = client.id;
      const page = await waiting.browser.open(waiting.authorizationUrl());
      const atUpstream = await waiting.browser.submit(page, 'allow', replicas.company.origin);
      await set.failOver();
      await expect.poll(async () => (await client.refresh(tokens.refresh_token)).status, { interval: 500 }).toBe(200);
      await expect.poll(() => callerStatus(replicas.gateway, tokens.access_token)).toBe(200);
      let end = await waiting.browser.open(atUpstream.url.href, CALLBACK);
      // A replica without a connection asks the user, and then the client, to try again.
      while (end.status === 503) end = await waiting.browser.open(end.url.href, CALLBACK);
      expect(end.url.href, end.text).toContain(CALLBACK);
      const code = end.url.searchParams.get('code') ?? '';
      let redeemed = await waiting.redeem(code);
      while (redeemed.status === 503) redeemed = await waiting.redeem(code);
      expect(redeemed.status, JSON.stringify(redeemed.body)).toBe(200);
    },
  );
});
