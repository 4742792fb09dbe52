/** An upstream with scripted responses, which records its requests: OpenID Connect and plain OAuth 2 at once. */
import { randomBytes } from 'node:crypto';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { type RawRequest, sendJson, startRawServer } from '../../support/raw-server.ts';

export interface RecordingUpstream {
  readonly origin: string;
  /** Members of its token responses, in place of its own. Undefined leaves one out. */
  tokens: Readonly<Record<string, unknown>>;
  /** Claims of its ID tokens in addition to the standard ones. */
  claims: Readonly<Record<string, unknown>>;
  /** The response of its userinfo endpoint, `/me`. */
  user: Readonly<Record<string, unknown>>;
  /** Number of requests for one path. */
  requests(path: string): readonly RawRequest[];
  /** Parameters of the last authorization request. */
  authorization(): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startRecordingUpstream(): Promise<RecordingUpstream> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, { readonly nonce: string; readonly client: string }>();
  const server = await startRawServer(async ({ path, body }, out) => {
    const { origin } = upstream;
    const url = new URL(path, origin);
    const param = (name: string) => url.searchParams.get(name) ?? '';
    const json = (value: object) => sendJson(out, JSON.stringify(value));
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          userinfo_endpoint: `${origin}/me`,
          jwks_uri: `${origin}/keys`,
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        });
      case '/keys':
        return json({ keys: [jwk] });
      case '/me':
        return json(upstream.user);
      case '/authorize': {
        const code = randomBytes(16).toString('hex');
        nonces.set(code, { nonce: param('nonce'), client: param('client_id') });
        const back = new URL(param('redirect_uri'));
        back.searchParams.set('state', param('state'));
        back.searchParams.set('code', code);
        out.writeHead(302, { location: back.href }).end();
        return;
      }
      case '/token': {
        const { nonce, client } = nonces.get(new URLSearchParams(body).get('code') ?? '') ?? {};
        const now = Math.floor(Date.now() / 1000);
        const about = { iss: origin, aud: client ?? '', iat: now, exp: now + 300 };
        // As text, in which a number may have any digits.
        const text = JSON.stringify({ sub: 'alice', nonce, ...upstream.claims, ...about });
        const idToken = new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'RS256', kid: 'one' });
        return json({
          access_token: randomBytes(16).toString('hex'),
          token_type: 'bearer',
          expires_in: 3600,
          id_token: await idToken.sign(privateKey),
          ...upstream.tokens,
        });
      }
      default:
        out.writeHead(404).end();
    }
  });
  const upstream: RecordingUpstream = {
    origin: server.origin,
    tokens: {},
    claims: {},
    user: {},
    requests: path => server.requests.filter(request => new URL(request.path, server.origin).pathname === path),
    authorization: () => {
      const last = upstream.requests('/authorize').at(-1);
      return Object.fromEntries(new URL(last?.path ?? '/', server.origin).searchParams);
    },
    close: () => server.close(),
  };
  return upstream;
}
