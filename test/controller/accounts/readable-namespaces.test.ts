/** Objects of another namespace are compiled in only if the account of the source may read them there. */
import { expect, test } from 'vitest';
import { Accounts, type AccountsOptions } from '../../../controller/cluster/accounts.ts';
import { ReadableNamespaces } from '../../../controller/cluster/readable-namespaces.ts';
import { createKubeClient, type DisposableKubeClient } from '../../../controller/kube/index.ts';
import type { ObservedSource } from '../../../controller/reconcile/index.ts';
import { crds, type KubeApi, startKubeApi, TOKEN } from '../../support/kube-api/index.ts';

const signal = (): AbortSignal => AbortSignal.timeout(200_000);

const source = (serviceAccountName?: string): ObservedSource => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  metadata: { name: 'gateways', namespace: 'team', uid: 'u', generation: 1 },
  spec: { url: 'https://git.example.com/a.git', ...(serviceAccountName !== undefined && { serviceAccountName }) },
});

/** A cluster in which the deployer of a team may read its own namespace and `shared`, but no Secret holder of `other`. */
class World implements AsyncDisposable {
  readonly api: KubeApi;
  readonly client: DisposableKubeClient;
  readonly readable: ReadableNamespaces;
  readonly refused: string[] = [];
  mayRead = (namespace: string, _resource: string): boolean => namespace === 'team' || namespace === 'shared';
  now = 0;

  private constructor(api: KubeApi, options: Partial<AccountsOptions>) {
    this.api = api;
    this.client = createKubeClient(
      {
        server: api.url,
        namespace: 'team',
        isInsecure: false,
        warnings: [],
        authorities: async () => undefined,
        credentials: async () => ({ authorization: `Bearer ${TOKEN}` }),
        forget: () => {},
      },
      { userAgent: 'test' },
    );
    api.authorize = ({ user, verb, namespace, resource }) =>
      !user.name.endsWith(':deployer') || (verb === 'get' && this.mayRead(namespace, resource));
    this.readable = new ReadableNamespaces({
      accounts: new Accounts({
        client: this.client,
        defaultServiceAccount: undefined,
        isSingleTenant: false,
        ...options,
      }),
      monotonicNow: () => this.now,
      onRefused: (_, message) => this.refused.push(message),
    });
  }

  static async start(options: Partial<AccountsOptions> = {}): Promise<World> {
    return new World(await startKubeApi({ crds: crds(), namespaces: ['team', 'shared', 'other'] }), options);
  }

  async select(one: ObservedSource): Promise<readonly string[]> {
    const namespaces = ['other', 'shared', 'team'];
    await this.readable.checkAccess(one, namespaces, signal());
    return this.readable.select(one, namespaces);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.api.close();
  }
}

test('the controller compiles no objects of a namespace that the account of a source may not read, and emits one event', async () => {
  await using world = await World.start();
  expect(await world.select(source('deployer'))).toEqual(['shared', 'team']);
  world.now += 3_600_000;
  expect(await world.select(source('deployer'))).toEqual(['shared', 'team']);
  expect(world.refused).toEqual([
    expect.stringMatching(
      /^objects of namespace other are not compiled in: .*forbidden.*system:serviceaccount:team:deployer/,
    ),
  ]);
});

test('the controller compiles no objects of a namespace in which the account of a source may not read one of the kinds', async () => {
  await using world = await World.start();
  world.mayRead = (_, resource) => resource !== 'mcpexternalauthconfigs';
  expect(await world.select(source('deployer'))).toEqual(['team']);
});

test('the controller checks the read permissions of an account again after an hour', async () => {
  await using world = await World.start();
  expect(await world.select(source('deployer'))).toEqual(['shared', 'team']);
  world.mayRead = namespace => namespace === 'other';
  expect(await world.select(source('deployer'))).toEqual(['shared', 'team']);
  world.now += 3_600_000;
  expect(await world.select(source('deployer'))).toEqual(['other', 'team']);
});

test('a source without a service account reads only its own namespace, unless the controller has a single tenant', async () => {
  await using world = await World.start();
  expect(await world.select(source())).toEqual(['team']);
  await using single = await World.start({ isSingleTenant: true });
  expect(await single.select(source())).toEqual(['other', 'shared', 'team']);
});

test('when the API server does not answer, the check of read permissions fails, and the source reads no namespace', async () => {
  await using world = await World.start();
  await world.api.close();
  await expect(world.readable.checkAccess(source('deployer'), ['shared'], signal())).rejects.toThrow();
  expect(world.readable.select(source('deployer'), ['shared'])).toEqual([]);
});
