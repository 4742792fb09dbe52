/** As which service account the controller reads Secrets from the API server, over real HTTP. */
import { expect, test } from 'vitest';
import { Accounts, type AccountsOptions } from '../../../controller/cluster/accounts.ts';
import { createKubeClient } from '../../../controller/kube/index.ts';
import { startKubeApi, TOKEN } from '../../support/kube-api/index.ts';
import { source } from '../forge/telling.ts';

const signal = new AbortController().signal;
const DEPLOYER = 'system:serviceaccount:team:deployer';

async function started(options: Partial<AccountsOptions> = {}) {
  // Impersonation is allowed; only `deployer` and the controller itself may read the Secret.
  const authorize = ({ user, verb }: { user: { name: string }; verb: string }) =>
    verb === 'impersonate' || user.name === DEPLOYER || user.name === 'admin';
  const api = await startKubeApi({ namespaces: ['team'], authorize });
  const data = { token: Buffer.from('hunter2').toString('base64') };
  api.put({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'team', name: 'git' }, data });
  const client = createKubeClient(
    {
      server: api.url,
      namespace: 'default',
      isInsecure: false,
      warnings: [],
      authorities: async () => undefined,
      credentials: async () => ({ authorization: `Bearer ${TOKEN}` }),
      forget: () => {},
    },
    { userAgent: 'test' },
  );
  const accounts = new Accounts({ client, defaultServiceAccount: undefined, isSingleTenant: false, ...options });
  return {
    api,
    accounts,
    readers: () => api.requests.filter(({ kind }) => kind === 'Secret').map(({ user }) => user.name),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await api[Symbol.asyncDispose]();
    },
  };
}

test.each<[what: string, named: string | undefined, options: Partial<AccountsOptions>, reader: string]>([
  ['the service account that the source names', 'deployer', {}, DEPLOYER],
  [
    'the service account that the source names, even if there is a default account',
    'deployer',
    { defaultServiceAccount: 'other' },
    DEPLOYER,
  ],
  [
    'the service account that the source names, even with a single tenant',
    'deployer',
    { isSingleTenant: true },
    DEPLOYER,
  ],
  ['the default account if the source names no account', undefined, { defaultServiceAccount: 'deployer' }, DEPLOYER],
  ['itself if there is a single tenant and the source names no account', undefined, { isSingleTenant: true }, 'admin'],
])('the controller reads a Secret of a source as %s', async (_, named, options, reader) => {
  await using world = await started(options);
  const one = source(named === undefined ? {} : { serviceAccountName: named });
  expect(await world.accounts.readSecret(one, 'git', signal)).toEqual({ token: 'hunter2' });
  expect(world.readers()).toEqual([reader]);
});

test('the controller reads no Secret for a source without a service account', async () => {
  await using world = await started();
  await expect(world.accounts.readSecret(source(), 'git', signal)).rejects.toMatchObject({
    reason: 'PolicyDenied',
    next: 'stalled',
    message: expect.stringContaining('spec.serviceAccountName is not set'),
  });
  expect(world.readers()).toEqual([]);
});

test('the error for a service account that may not read a Secret names the account and the verb that a Role has to give it', async () => {
  await using world = await started();
  const failed = world.accounts.readSecret(source({ serviceAccountName: 'reader' }), 'git', signal);
  await expect(failed).rejects.toMatchObject({ reason: 'PolicyDenied', next: 'retry' });
  await expect(failed).rejects.toThrow('User "system:serviceaccount:team:reader" cannot get resource "secrets"');
  await expect(failed).rejects.toThrow(
    'a Role of namespace team has to give ServiceAccount team/reader the verb "get" on secrets',
  );
});

test.each([
  ['API server before 1.36', 'impersonate resource "serviceaccounts"'],
  ['API server from 1.36 on', 'impersonate-on:serviceaccount:get resource "secrets"'],
])(
  'the error for a service account that the controller may not impersonate names the missing right: %s',
  async (_, words) => {
    await using world = await started();
    const message = `secrets "git" is forbidden: User "admin" cannot ${words} in API group "" in the namespace "team"`;
    world.api.faults.next({ verb: 'get', kind: 'Secret' }, { status: 403, message });
    const failed = world.accounts.readSecret(source({ serviceAccountName: 'deployer' }), 'git', signal);
    await expect(failed).rejects.toMatchObject({
      reason: 'PolicyDenied',
      next: 'retry',
      message:
        'admin may not act as ServiceAccount team/deployer: give it a Role in namespace team with the rule ' +
        '{"apiGroups":[""],"resources":["serviceaccounts"],"resourceNames":["deployer"],"verbs":["impersonate"]}',
    });
  },
);

test('the controller tries a source again later when a required Secret is missing', async () => {
  await using world = await started();
  const one = source({ serviceAccountName: 'deployer' });
  expect(await world.accounts.findSecret(one, 'none', signal)).toBeUndefined();
  await expect(world.accounts.readSecret(one, 'none', signal)).rejects.toMatchObject({
    reason: 'DependencyNotReady',
    next: 'retry',
    message: 'there is no Secret "none" in namespace team',
  });
});
