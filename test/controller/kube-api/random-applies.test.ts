/** Random sequences of server-side applies by several managers: the test API server and kube-apiserver end with the same object and the same owners of fields. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient, startKubeApi } from '../../support/kube-api/index.ts';
import { ASSETS, startRealApi } from '../../support/kube-api/real.ts';
import { deployment } from './objects.ts';
import { type Row, type Step, transcript } from './transcript.ts';

const value = fc.constantFrom('1', '2');
const variables = fc
  .uniqueArray(fc.record({ name: fc.constantFrom('A', 'B', 'C', 'D', 'E'), value }), {
    selector: ({ name }) => name,
    maxLength: 5,
  })
  .map(env => (env.length === 0 ? {} : { env }));
const args = fc.oneof(
  fc.constant({}),
  fc.array(fc.constantFrom('--x', '--y'), { minLength: 1, maxLength: 2 }).map(list => ({ args: list })),
);
const labels = fc.dictionary(fc.constantFrom('p', 'q'), value, { maxKeys: 2 });
const manager = fc.constantFrom('one', 'two', 'three');
const sidecar = fc.boolean().map(has => (has ? [{ name: 'side', image: 'side:1' }] : []));

interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
}

interface Shown {
  readonly metadata: {
    readonly labels?: object;
    readonly generation: number;
    readonly managedFields: readonly ManagedFields[];
  };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly [field: string]: unknown }[] } };
  };
}
const nameOf = ({ manager, operation }: ManagedFields): string => `${manager} ${operation}`;

const show = ({ metadata: { labels: own, generation, managedFields }, spec }: Shown) => ({
  labels: own,
  generation,
  containers: spec.template.spec.containers.map(({ name, env, args: list }) => ({ name, env, args: list })),
  // A server sorts them by time in seconds, and the two servers do not begin a new second at the same step.
  managers: managedFields.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(manager, fc.boolean(), variables, args, labels, sidecar)
      .map(([fieldManager, force, env, list, own, more]): Step => {
        const object = deployment('a', { ...env, ...list }, {}, more);
        const metadata = { name: 'a', ...(Object.keys(own).length > 0 && { labels: own }) };
        return {
          method: 'APPLY',
          path: 'deployments/a',
          query: { fieldManager, force },
          body: { ...object, metadata },
          show,
        };
      }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(manager, labels).map(
      ([fieldManager, own]): Step => ({
        method: 'PATCH',
        path: 'deployments/a',
        query: { fieldManager },
        body: { metadata: { labels: own } },
        show,
      }),
    ),
  },
);

describe.skipIf(ASSETS === undefined)('random sequences of applies', () => {
  let api: Awaited<ReturnType<typeof startKubeApi>>;
  let real: Awaited<ReturnType<typeof startRealApi>>;
  let count = 0;
  beforeAll(async () => {
    [api, real] = await Promise.all([startKubeApi(), startRealApi()]);
  });
  afterAll(() => Promise.all([api.close(), real.close()]));

  test('random sequences of applies give the same objects on the test API server and on kube-apiserver', async () => {
    const clients = [new ApiClient(api.connection()), real.client];
    const sequences = fc.array(step, { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(sequences, async steps => {
        const namespace = `random-${++count}`;
        const row: Row = { name: 'random', steps };
        const texts = [];
        for (const client of clients) {
          const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
          await client.request('POST', '/api/v1/namespaces', { body });
          texts.push(await transcript(client, namespace, row));
        }
        expect(texts[0]).toBe(texts[1]);
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});
