/** A provider with scripted documents and responses, and the keys to sign anything as the provider. */
import { createHmac } from 'node:crypto';
import { CompactSign, exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose';
import { type RawHandler, type RawServer, sendJson, startRawServer } from '../../../support/raw-server.ts';
import { AUDIENCE } from './harness.ts';

export interface ScriptedProvider {
  readonly issuer: string;
  readonly discoveryUrl: string;
  readonly jwksUrl: string;
  readonly introspectionUrl: string;
  readonly server: RawServer;
  /** Public keys in the order of publication: `rsa`, then `ec`. */
  readonly keys: readonly JWK[];
  /** Responses in place of the usual ones, by path. */
  readonly answers: Map<string, RawHandler>;
  /** Number of requests for a path. */
  count(path: string): number;
  /** Signs a token that is valid except for the replaced members; an undefined claim is left out. */
  sign(claims?: object, header?: object, by?: 'rsa' | 'ec' | 'stranger'): Promise<string>;
  /** Signs a token in which a part of the claims' text is replaced, for JSON that `JSON.stringify` does not write. */
  signText(claims: object, piece: string, replacement: string): Promise<string>;
  close(): Promise<void>;
}

/** The keys, which are generated once, because RSA keys take long; all providers can share them. */
let made: Promise<[GenerateKeyPairResult, GenerateKeyPairResult, GenerateKeyPairResult]> | undefined;
function pairs() {
  made ??= Promise.all([generateKeyPair('RS256'), generateKeyPair('ES256'), generateKeyPair('RS256')]);
  return made;
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const [rsa, ec, stranger] = await pairs();
  const keys: JWK[] = [
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', use: 'sig' },
    { ...(await exportJWK(ec.publicKey)), kid: 'ec', alg: 'ES256' },
  ];
  const answers = new Map<string, RawHandler>();
  const server = await startRawServer((request, response) => {
    const scripted = answers.get(request.path);
    if (scripted !== undefined) return scripted(request, response);
    if (request.path === '/jwks') return sendJson(response, JSON.stringify({ keys }));
    if (request.path !== '/.well-known/openid-configuration') return void response.writeHead(404).end();
    sendJson(response, JSON.stringify({ issuer: server.origin, jwks_uri: `${server.origin}/jwks` }));
  });
  const issuer = server.origin;
  return {
    issuer,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    jwksUrl: `${issuer}/jwks`,
    introspectionUrl: `${issuer}/introspect`,
    server,
    keys,
    answers,
    count: path => server.requests.filter(request => request.path === path).length,
    sign(claims, header, by = 'rsa') {
      const { privateKey } = { rsa, ec, stranger }[by];
      const alg = by === 'ec' ? 'ES256' : 'RS256';
      return new SignJWT(goodClaims(issuer, claims))
        .setProtectedHeader({ alg, kid: by === 'ec' ? 'ec' : 'rsa', typ: 'at+jwt', ...header })
        .sign(privateKey);
    },
    signText(claims, piece, replacement) {
      const text = JSON.stringify(goodClaims(issuer, claims)).replace(piece, replacement);
      return new CompactSign(Buffer.from(text))
        .setProtectedHeader({ alg: 'RS256', kid: 'rsa', typ: 'at+jwt' })
        .sign(rsa.privateKey);
    },
    close: () => server.close(),
  };
}

export function goodClaims(issuer: string, more: object = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: AUDIENCE, sub: 'alice', iat: now, exp: now + 600, ...more };
}

/** A compact token of any header, claims and signature. */
export function compact(header: object, claims: object, signature: Buffer | ((input: string) => Buffer)): string {
  const input = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${input}.${(typeof signature === 'function' ? signature(input) : signature).toString('base64url')}`;
}

export const hmac =
  (key: string | Buffer) =>
  (input: string): Buffer =>
    createHmac('sha256', key).update(input).digest();
