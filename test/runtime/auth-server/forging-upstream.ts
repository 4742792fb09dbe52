/** A malicious OpenID provider: its ID tokens contain and are signed by whatever a test sets. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { type RawServer, startRawServer } from '../../support/raw-server.ts';

export interface Forgery {
  /** Claims that replace an honest provider's; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly by?: 'own key' | 'another key' | 'nobody' | 'secret of the client' | 'public key as a secret';
  /** Parameters that the provider adds to its response at the callback. */
  readonly answer?: Readonly<Record<string, string>>;
}

export interface ForgingUpstream {
  readonly origin: string;
  forgery: Forgery;
  readonly server: RawServer;
  close(): Promise<void>;
}

export async function startForgingUpstream(clientSecret: string): Promise<ForgingUpstream> {
  const own = await generateKeyPair('RS256', { extractable: true });
  const other = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' };
  /** Parameters of the authorization requests, by code. */
  const asked = new Map<string, { readonly nonce: string; readonly challenge: string; readonly client: string }>();
  const json = (out: Parameters<Parameters<typeof startRawServer>[0]>[1], body: object, status = 200) =>
    out.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const server = await startRawServer(async ({ path, body }, out) => {
    const { origin } = upstream;
    const url = new URL(path, origin);
    if (url.pathname === '/.well-known/openid-configuration')
      return void json(out, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/keys`,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      });
    if (url.pathname === '/keys') return void json(out, { keys: [jwk] });
    if (url.pathname === '/authorize') {
      const code = randomBytes(16).toString('hex');
      const param = (name: string) => url.searchParams.get(name) ?? '';
      asked.set(code, { nonce: param('nonce'), challenge: param('code_challenge'), client: param('client_id') });
      const back = new URL(param('redirect_uri'));
      for (const [name, value] of Object.entries({ state: param('state'), code, ...upstream.forgery.answer }))
        back.searchParams.set(name, value);
      return void out.writeHead(302, { location: back.href }).end();
    }
    const form = new URLSearchParams(body);
    const request = asked.get(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (request === undefined || request.challenge !== proof) return void json(out, { error: 'invalid_grant' }, 400);
    asked.delete(form.get('code') ?? '');
    const now = Math.floor(Date.now() / 1000);
    const honest = { iss: origin, sub: 'alice', aud: request.client, nonce: request.nonce, iat: now, exp: now + 300 };
    const all = Object.entries({ ...honest, ...upstream.forgery.claims }).filter(([, value]) => value !== undefined);
    json(out, {
      access_token: randomBytes(16).toString('hex'),
      token_type: 'bearer',
      expires_in: 300,
      id_token: await signed(Object.fromEntries(all)),
    });
  });

  const signed = async (claims: JWTPayload): Promise<string> => {
    const { by = 'own key' } = upstream.forgery;
    if (by === 'nobody') return new UnsecuredJWT(claims).encode();
    if (by === 'own key' || by === 'another key') {
      const { privateKey } = by === 'own key' ? own : other;
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(privateKey);
    }
    const secret = by === 'secret of the client' ? clientSecret : JSON.stringify(jwk);
    const parts = [{ alg: 'HS256', kid: 'own' }, claims].map(part =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    return `${parts.join('.')}.${createHmac('sha256', secret).update(parts.join('.')).digest('base64url')}`;
  };

  const upstream: ForgingUpstream = { origin: server.origin, forgery: {}, server, close: () => server.close() };
  return upstream;
}
