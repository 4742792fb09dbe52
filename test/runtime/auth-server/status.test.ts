/** What `/status`, metrics and the log show operators about sign-ins. They contain nothing with which a caller could authenticate. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuthServerEntry } from '../../../runtime/observe/auth-server-counts.ts';
import { mergeStatus } from '../../../runtime/workers/merge-status.ts';
import { type LogLine, listeningLog } from '../../support/log-lines.ts';
import { type ReadMetric, readPrometheus } from '../../support/prometheus.ts';
import { RawOAuthClient, type Tokens } from './client.ts';
import { type IssuingGateway, issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream, type TestUpstream } from './upstreams.ts';

let gateway: IssuingGateway;
let forge: TestUpstream;
let lines: LogLine[];
let tokens: Tokens;
let rotated: Tokens;
let client: RawOAuthClient;
let before: string;

beforeAll(async () => {
  const port = await issuingPort();
  forge = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  const heard = listeningLog();
  lines = heard.lines;
  gateway = await startIssuingGateway({ port, log: heard.log, upstreams: at => [oauth2Plan('forge', forge, at)] });
  before = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
  client = await RawOAuthClient.registered(gateway, { client_name: 'a test' });
  expect((await client.register({ redirect_uris: ['http://elsewhere.example/'] })).status).toBe(400);
  forge.accessSeconds = 30;
  tokens = await client.signIn();
  rotated = (await client.refresh(tokens.refresh_token)).body as unknown as Tokens;
  expect((await client.refresh('made-up')).status).toBe(400);
  expect((await client.token({ grant_type: 'password' })).status).toBe(400);
  // Its token expires within the minute by which tokens are renewed early.
  await call(rotated.access_token);
  const another = new RawOAuthClient(gateway);
  another.id = client.id;
  forge.person = null;
  await another.visit();
  forge.person = 'alice';
  // A user returns with a code that the upstream does not know.
  const question = await another.browser.open(another.authorizationUrl());
  const sent = await another.browser.submit(question, 'allow', forge.origin);
  const state = sent.url.searchParams.get('state') ?? '';
  const end = await another.browser.open(`${gateway.origin}/oauth/callback?code=made-up-code&state=${state}`);
  expect(end.status).toBe(502);
});

afterAll(async () => {
  await gateway.stop();
  await forge.close();
});

async function call(token: string): Promise<void> {
  await fetch(gateway.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
}

const page = async () =>
  (await (await fetch(`${gateway.internalUrl}/status`)).json()) as { authServer: AuthServerEntry };

test('/status shows the outcomes of registrations, sign-ins, token requests and token renewals, and that the signing keys are temporary', async () => {
  const { authServer } = await page();
  expect(authServer).toMatchObject({
    issuer: gateway.issuer,
    keys: 1,
    isEphemeral: { signingKeys: true, hmacSecrets: true },
    storage: 'memory',
    registrations: { registered: 1, refused: 1, limited: 0 },
    signIns: { forge: { signed_in: 1, denied: 1, failed: 1 } },
    tokenRequests: {
      authorization_code: { issued: 1 },
      refresh_token: { issued: 1, invalid_grant: 1 },
      other: { unsupported_grant_type: 1 },
    },
    upstreamRefreshes: { forge: { renewed: 1 } },
    storageErrors: 0,
  });
});

test('runtime/PROTOCOL.md names each member of authServer in /status', async () => {
  const [row = ''] = /^\| `authServer` \|.*$/m.exec(await readFile('runtime/PROTOCOL.md', 'utf8')) ?? [];
  for (const member of Object.keys((await page()).authServer)) expect(row).toContain(`\`${member}\``);
});

function sumOf(metrics: ReadonlyMap<string, ReadMetric>, name: string, labels: Record<string, string>): number {
  const wanted = Object.entries({ ...labels, server: 'test', namespace: 'default' });
  return (metrics.get(name)?.samples ?? [])
    .filter(sample => wanted.every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

test('the metrics of the authorization server have the same counts as /status, and the duration of storage operations', async () => {
  const metrics = readPrometheus(await (await fetch(`${gateway.internalUrl}/metrics`)).text());
  const value = (name: string, labels: Record<string, string>) => sumOf(metrics, `lintel_auth_server_${name}`, labels);
  expect(value('registrations_total', { outcome: 'registered' })).toBe(1);
  expect(value('sign_ins_total', { upstream: 'forge', outcome: 'denied' })).toBe(1);
  expect(value('token_requests_total', { grant_type: 'refresh_token', outcome: 'issued' })).toBe(1);
  expect(value('upstream_refreshes_total', { upstream: 'forge', outcome: 'renewed' })).toBe(1);
  expect(value('storage_operation_duration_seconds', { operation: 'put', '': 'count' })).toBeGreaterThan(5);
  expect(value('ephemeral_keys', { kind: 'signing_key' })).toBe(1);
  expect(metrics.get('lintel_auth_server_storage_errors_total')?.samples).toEqual([]);
  expect(readPrometheus(before).get('lintel_auth_server_sign_ins_total')?.samples).toEqual([]);
});

test('the log names who signed in at which upstream, and contains neither tokens nor codes', () => {
  expect(lines.find(({ msg }) => msg === 'a person signed in')).toMatchObject({
    subject: expect.stringMatching(/^[0-9a-f-]{36}$/),
    client: client.id,
    upstreams: ['forge'],
  });
  expect(lines.find(({ msg }) => msg === 'a client registered')).toMatchObject({ client: client.id });
  expect(lines.find(({ msg }) => /made a temporary signing key and a HMAC secret/.test(msg))).toMatchObject({
    level: 'warn',
  });
  const text = JSON.stringify(lines);
  for (const { access_token: access, refresh_token: refresh } of [tokens, rotated]) {
    expect(text).not.toContain(access);
    expect(text).not.toContain(refresh);
  }
  expect(text).not.toMatch(/code=|made-up-code|code_verifier|client_secret/);
  expect(lines.find(({ msg }) => msg === 'a sign-in at an upstream did not succeed')).toBeDefined();
});

test('the counters of the authorization server do not restart when the gateway changes to a new bundle', async () => {
  await gateway.change({ lifespans: { accessTokenSeconds: 60, refreshTokenSeconds: 604_800, authCodeSeconds: 600 } });
  await expect.poll(async () => (await page()).authServer.registrations.registered).toBe(1);
});

test('/status adds up the counts of the authorization server in several workers', async () => {
  const one = await page();
  const merged = mergeStatus([one, one] as unknown as Parameters<typeof mergeStatus>[0]);
  expect(merged.authServer).toMatchObject({
    issuer: gateway.issuer,
    registrations: { registered: 2 },
    signIns: { forge: { signed_in: 2 } },
    tokenRequests: { refresh_token: { issued: 2 } },
  });
});
