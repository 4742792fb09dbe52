/** The authorization server alone. Host names lead to the test's servers, because it fetches documents from public hosts only. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '#runtime';
import type { AuthServerPlan } from '#schemas';
import { compileMatcher } from '../../../runtime/auth/outgoing/aws/cel-matcher.ts';
import { Secrets } from '../../../runtime/auth/secrets.ts';
import type { OutgoingClient } from '../../../runtime/authserver/host.ts';
import { type AuthServer, openAuthServer } from '../../../runtime/authserver/open.ts';
import { AuthServerCounts } from '../../../runtime/observe/auth-server-counts.ts';
import { Redis } from '../../../runtime/redis/redis.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { authServerPlan } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream, type TestUpstream } from './upstreams.ts';

export interface BareIssuer {
  readonly issuer: string;
  readonly server: AuthServer;
  readonly upstream: TestUpstream;
  close(): Promise<void>;
}

/** Sends requests for the hosts of a table to origins of this machine, and all others to their real hosts. */
export function clientTo(hosts: Readonly<Record<string, string>>): OutgoingClient {
  return {
    request: async ({ method, url, headers, body }) => {
      const origin = hosts[url.host];
      const at = origin === undefined ? url : new URL(`${url.pathname}${url.search}`, origin);
      const answer = await fetch(at, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
    },
    close: async () => {},
  };
}

export interface BareOptions {
  readonly plan?: (origin: string) => Partial<AuthServerPlan>;
  readonly hosts?: Readonly<Record<string, string>>;
}

/** Starts the server with one plain OAuth 2 upstream. */
export async function startBareIssuer({ plan = () => ({}), hosts = {} }: BareOptions): Promise<BareIssuer> {
  const http = createServer();
  await listenOnOwnPort(http);
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const callback = `${issuer}/oauth/callback`;
  const upstream = await startOAuth2Upstream(callback);
  const upstreams = [oauth2Plan('forge', upstream, callback)];
  const log = createLogger('silent');
  const secrets = new Secrets({ log });
  const server = await openAuthServer(authServerPlan(issuer, issuer, { upstreams, ...plan(issuer) }), {
    log,
    observer: new AuthServerCounts(),
    secrets,
    client: () => clientTo(hosts),
    gateway: { namespace: 'default', name: 'test' },
    redis: async redis => new Redis(redis, { log, use: 'a test' }),
    matcher: async expression => compileMatcher(expression),
  });
  http.on('request', (req, res) => {
    const route = server.route((req.url ?? '').replace(/\?.*$/, ''));
    if (route === undefined) res.writeHead(404).end();
    else route(req, res);
  });
  return {
    issuer,
    server,
    upstream,
    close: async () => {
      const closed = new Promise(resolve => http.close(resolve));
      http.closeAllConnections();
      await closed;
      secrets.close();
      await server.close();
      await upstream.close();
    },
  };
}
