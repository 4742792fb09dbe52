/**
 * oidc-provider alone, with the authorization server's adapter and store: the lowest cost of a refresh. Argument: JSON with the key, and the
 * plan of a Redis or null. `/tokens` returns refresh tokens, and the path of a prepared text returns that text.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Client } from 'oidc-provider';
import { createLogger } from '#runtime';
import type { RedisPlan } from '#schemas';
import { createAdapter } from '../../../../runtime/authserver/adapter.ts';
import { SecretRing } from '../../../../runtime/authserver/secret-ring.ts';
import { readSigningKey } from '../../../../runtime/authserver/signing-keys.ts';
import { openStore } from '../../../../runtime/authserver/storage/open.ts';
import { Redis } from '../../../../runtime/redis/redis.ts';

export interface BareProviderArguments {
  readonly pem: string;
  readonly redis: RedisPlan | null;
  /** The number of sign-ins. */
  readonly signIns: number;
  /** Texts by path, sent unchanged. */
  readonly prepared?: Readonly<Record<string, string>>;
}

const { pem, redis, signIns, prepared = {} } = JSON.parse(process.argv[2] ?? '') as BareProviderArguments;
const SCOPE = 'openid offline_access';
const LIFE_SECONDS = 604_800;

const log = createLogger('silent');
const store = await openStore(redis === null ? null : { redis }, {
  gateway: { namespace: 'bench', name: 'alone' },
  redis: async plan => new Redis(plan, { log, use: 'a benchmark' }),
});
const key = await readSigningKey(pem);
const server = createServer();
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const provider = new Provider(issuer, {
  adapter: createAdapter({
    store,
    ring: new SecretRing(() => ['a secret of a benchmark '.repeat(2)]),
    algorithm: key.algorithm,
    refreshSeconds: LIFE_SECONDS,
    upstreams: ['forge'],
    clientDocuments: undefined,
    log,
  }),
  jwks: { keys: [key.jwk] },
  clientAuthMethods: ['none'],
  clientDefaults: { id_token_signed_response_alg: key.algorithm, token_endpoint_auth_method: 'none' },
  enabledJWA: { idTokenSigningAlgValues: [key.algorithm] },
  scopes: SCOPE.split(' '),
  routes: { token: '/oauth/token' },
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => issuer,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        audience: issuer,
        scope: SCOPE,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: key.algorithm, kid: key.kid } },
      }),
    },
  },
  ttl: { AccessToken: 3600, IdToken: 3600, RefreshToken: LIFE_SECONDS, Grant: LIFE_SECONDS },
});
const metadata = {
  client_id: 'bench',
  redirect_uris: ['http://127.0.0.1:1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  application_type: 'native',
};
await provider.Client.adapter.upsert('bench', metadata);
const client = (await provider.Client.find('bench')) as Client;
const { RefreshToken } = provider as unknown as { RefreshToken: new (init: object) => { save(): Promise<string> } };

async function signIn(): Promise<string> {
  const grant = new provider.Grant({ accountId: 'alice', clientId: 'bench' });
  grant.addOIDCScope(SCOPE);
  grant.addResourceScope(issuer, SCOPE);
  const grantId = await grant.save();
  const about = { accountId: 'alice', client, grantId, gty: 'authorization_code', scope: SCOPE, resource: issuer };
  return new RefreshToken({ ...about, authTime: 1, rotations: 0, iiat: Math.floor(Date.now() / 1000) }).save();
}

const tokens = await Promise.all(Array.from({ length: signIns }, signIn));
/** The headers of a document that any page may read. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'content-type': 'application/json',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
};
const handle = provider.callback();
server.on('request', (req, res) => {
  const text = req.url === '/tokens' ? JSON.stringify(tokens) : prepared[req.url ?? ''];
  if (text === undefined) handle(req, res);
  else res.writeHead(200, { ...HEADERS, 'content-length': text.length }).end(text);
});
process.stdout.write(`${JSON.stringify({ url: issuer })}\n`);
process.on('SIGTERM', () => process.exit(0));
