/** Many callers probe a backend's era together: a refusal of one caller does not affect the others. */
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '#runtime';
import type { Credential } from '../../../runtime/auth/outgoing/credential.ts';
import { CredentialError } from '../../../runtime/auth/outgoing/credential.ts';
import { withCredential } from '../../../runtime/auth/outgoing/credential-sender.ts';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import { createBackendSession } from '../../../runtime/gateway/backends/era/open-session.ts';
import { createHttpClient } from '../../../runtime/http/client.ts';
import { backendPlan } from '../../support/gateway.ts';
import { BACKEND_KINDS, startBackend } from './harness.ts';

const sends = (token: string): Credential => ({
  getHeaders: async () => ['authorization', `Bearer ${token}`],
  rejected: () => false,
});

const hasNone: Credential = {
  getHeaders: async () => {
    throw new CredentialError('caller', 'test: the token has ended; log in again');
  },
  rejected: () => false,
};

test.each(BACKEND_KINDS.flatMap(kind => [401, 403].map(status => [kind, status] as const)))(
  'with valid credentials of callers, the gateway detects whether a backend of kind %s is stateless, although it answers %i to all others',
  async (kind, status) => {
    const backend = await startBackend(kind, ({ headers }) =>
      headers.authorization === 'Bearer good' ? undefined : status,
    );
    const auth = { type: 'upstream_inject', provider: 'p' } as const;
    const plan = backendPlan('s', backend.url, { auth });
    const era = new BackendEra();
    const pool = createHttpClient({ addresses: 'any' });
    const log = createLogger('silent');
    const open = (credential: Credential, credentialOwner: 'caller' | 'nobody') => {
      const client = withCredential(pool, () => ({ credential, forwarded: () => [] }));
      const session = createBackendSession(plan, client, { log, version: 'test', era, credentialOwner });
      onTestFinished(() => session.close());
      return session.open();
    };
    onTestFinished(() => pool.close());
    // The first of them probes, the others wait for its result.
    const [probe, bad, none, good] = await Promise.allSettled([
      open(sends('nobody'), 'nobody'),
      open(sends('bad'), 'caller'),
      open(hasNone, 'caller'),
      open(sends('good'), 'caller'),
    ]);
    expect(probe).toMatchObject({ reason: { reason: 'unauthenticated', httpStatus: status } });
    const refused = status === 401 ? 'login_required' : 'unauthenticated';
    expect(bad).toMatchObject({ reason: { reason: refused, httpStatus: status } });
    expect(none).toMatchObject({
      reason: {
        reason: 'login_required',
        message: 'backend "s": no credential can be sent: test: the token has ended; log in again',
      },
    });
    expect(good).toMatchObject({ status: 'fulfilled' });
    expect(era.known).toBe(kind === 'sessions' ? 'session' : 'stateless');
  },
);
