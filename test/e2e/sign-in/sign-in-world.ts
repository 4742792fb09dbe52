/** A gateway with two upstreams, a client that listens on this machine, and Chromium. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type IssuingGateway, issuingPort, startIssuingGateway } from '../../runtime/auth-server/issuing-gateway.ts';
import {
  oauth2Plan,
  oidcPlan,
  startOAuth2Upstream,
  startOidcUpstream,
  type TestUpstream,
} from '../../runtime/auth-server/upstreams.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';

export interface SignInWorld {
  readonly gateway: IssuingGateway;
  readonly company: TestUpstream;
  readonly forge: TestUpstream;
  readonly clientOrigin: string;
  /** An authorization request of the registered client; each has its own state. */
  authorizationUrl(more?: Readonly<Record<string, string>>): string;
  close(): Promise<void>;
}

export async function startSignInWorld(): Promise<SignInWorld> {
  const port = await issuingPort();
  const callback = `http://127.0.0.1:${port}/oauth/callback`;
  const [company, forge] = [await startOidcUpstream(callback), await startOAuth2Upstream(callback)];
  const gateway = await startIssuingGateway({
    port,
    upstreams: at => [oidcPlan('company', company, at), oauth2Plan('forge', forge, at)],
  });
  const listener = createServer((_req, res) =>
    res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Back at the client</title>'),
  );
  await listenOnOwnPort(listener);
  const clientOrigin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const redirectUri = `${clientOrigin}/callback`;
  const registered = await fetch(`${gateway.issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Desk Assistant', redirect_uris: [redirectUri] }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  return {
    gateway,
    company,
    forge,
    clientOrigin,
    authorizationUrl: (more = {}) => {
      const url = new URL(`${gateway.issuer}/oauth/authorize`);
      const params = {
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        state: randomBytes(12).toString('base64url'),
        code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
        code_challenge_method: 'S256',
        scope: 'openid profile email offline_access',
        ...more,
      };
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
      return url.href;
    },
    close: async () => {
      await gateway.stop();
      await company.close().catch(() => {});
      await forge.close().catch(() => {});
      listener.closeAllConnections();
      await new Promise(resolve => listener.close(resolve));
    },
  };
}
