/** Callers with an opaque token of an upstream, which only the endpoint `introspectionUrl` can validate. */
import { decodeJwt } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { startRawServer } from '../../support/raw-server.ts';
import { callerStatus, RawOAuthClient } from './client.ts';
import { issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { startToolBackend } from './tool-backend.ts';
import { oauth2Plan, startOAuth2Upstream } from './upstreams.ts';

test('the gateway accepts opaque tokens of a provider besides the tokens that it issues', async () => {
  const port = await issuingPort();
  const origin = `http://127.0.0.1:${port}`;
  const upstream = await startOAuth2Upstream(`${origin}/oauth/callback`);
  const answers = new Map<string, object>();
  const endpoint = await startRawServer(({ body }, out) => {
    const answer = answers.get(new URLSearchParams(body).get('token') ?? '') ?? { active: false };
    out.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const sent: unknown[] = [];
  const backend = await startToolBackend(['act'], headers => sent.push(headers.authorization));
  const gateway = await startIssuingGateway({
    port,
    upstreams: at => [oauth2Plan('forge', upstream, at)],
    introspection: { url: `${endpoint.origin}/introspect`, credentials: { type: 'none' } },
    backend: `${backend.origin}/mcp`,
    auth: { type: 'upstream_inject', provider: 'forge' },
  });
  onTestFinished(async () => {
    await gateway.stop();
    for (const one of [upstream, endpoint, backend]) await one.close();
  });
  const { access_token: ours } = await (await RawOAuthClient.registered(gateway)).signIn();
  const active = { active: true, sub: 'bob', aud: origin, exp: Math.floor(Date.now() / 1000) + 600 };
  answers.set('gho_bob', active);
  answers.set('gho_posing', { ...active, tsid: decodeJwt(ours).tsid });
  answers.set('gho_elsewhere', { ...active, aud: 'https://elsewhere.example.com' });
  const statusOf = (token: string) => callerStatus(gateway, token);
  expect(await statusOf(ours)).toBe(200);
  expect(endpoint.requests, 'nobody is asked about a token of ours').toEqual([]);
  expect([await statusOf('gho_bob'), await statusOf('gho_unknown'), await statusOf('gho_elsewhere')]).toEqual([
    200, 401, 401,
  ]);
  sent.length = 0;
  const called = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      authorization: 'Bearer gho_posing',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'tell_act',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'tell_act',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  await called.text();
  expect(sent.filter(Boolean)).toEqual([]);
});
