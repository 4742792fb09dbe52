/** Measures the memory of 10,000 registered clients and 50,000 sign-ins in the in-memory store; prints megabytes. Run with `--expose-gc`. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger } from '#runtime';
import { createAdapter } from '../../../../runtime/authserver/adapter.ts';
import { SecretRing } from '../../../../runtime/authserver/secret-ring.ts';
import { MemoryStore } from '../../../../runtime/authserver/storage/memory-store.ts';

const [CLIENTS, SIGN_INS] = [10_000, 50_000];
const LIFE_SECONDS = 604_800;
const SCOPE = 'openid profile email offline_access';
const NAMES = { name: 'Alice of the company', email: 'alice@example.com' };

const ring = new SecretRing(() => ['a secret of a benchmark '.repeat(2)]);
const random = (bytes: number) => randomBytes(bytes).toString('base64url');

function settledMb(): number {
  // A last-resort collection returns the pages that V8 would keep for the next load.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return process.memoryUsage().rss / 1024 ** 2;
}

async function fill(store: MemoryStore, clientCount: number, signInCount: number): Promise<void> {
  const adapter = createAdapter({
    store,
    ring,
    algorithm: 'ES256',
    refreshSeconds: LIFE_SECONDS,
    upstreams: ['company'],
    clientDocuments: undefined,
    log: createLogger('silent'),
  });
  const [clients, grants, refreshTokens] = ['Client', 'Grant', 'RefreshToken'].map(adapter);
  const ids = Array.from({ length: clientCount }, () => randomUUID());
  for (const id of ids)
    await clients?.upsert(id, {
      client_id: id,
      client_id_issued_at: 1_700_000_000,
      client_name: 'An application on a desk',
      redirect_uris: ['http://127.0.0.1:41234/callback', 'http://localhost:41234/callback'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: SCOPE,
    });
  for (let n = 0; n < signInCount; n++) {
    const [grantId, clientId, accountId] = [random(24), ids[n % clientCount] ?? '', randomUUID()];
    const resources = { 'https://mcp.example.com': SCOPE };
    await grants?.upsert(
      grantId,
      { accountId, clientId, kind: 'Grant', jti: grantId, openid: { scope: SCOPE }, resources, names: NAMES },
      LIFE_SECONDS,
    );
    await store.put('sign-in', grantId, { accountId }, { ttlSeconds: LIFE_SECONDS, group: grantId });
    await store.put('person', accountId, { signIns: [grantId] }, { ttlSeconds: LIFE_SECONDS });
    for (const upstream of ['company']) {
      const name = `${accountId}:${upstream}`;
      const tokens = { accessToken: random(30), refreshToken: random(30), idToken: null, expiresAt: 1_800_000_000_000 };
      await store.put(
        'upstream',
        name,
        { sealed: ring.seal(JSON.stringify(tokens), name) },
        { ttlSeconds: LIFE_SECONDS },
      );
    }
    const session = { kind: 'RefreshToken', accountId, clientId, grantId, gty: 'authorization_code', scope: SCOPE };
    const times = {
      authTime: 1_700_000_000,
      iat: 1_700_000_000,
      exp: 1_700_604_800,
      iiat: 1_700_000_000,
      rotations: 1,
    };
    await refreshTokens?.upsert(
      random(32),
      { ...session, ...times, resource: 'https://mcp.example.com' },
      LIFE_SECONDS,
    );
  }
}

// Runs the code once, so that its own memory is not counted.
const first = new MemoryStore();
await fill(first, 100, 100);
first.close();
const before = settledMb();
const store = new MemoryStore();
await fill(store, CLIENTS, SIGN_INS);
const after = settledMb();
if (store.size('client') !== CLIENTS || store.size('refresh') !== SIGN_INS) throw new Error('the store has lost some');
process.stdout.write(`${(after - before).toFixed(1)}\n`);
store.close();
