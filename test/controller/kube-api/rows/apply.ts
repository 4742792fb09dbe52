import { configMap, deployment, gatewaySource } from '../objects.ts';
import type { Row, Step } from '../transcript.ts';

interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}
interface Body {
  readonly metadata: {
    readonly generation: number;
    readonly resourceVersion: string;
    readonly managedFields: readonly ManagedFields[];
  };
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly metadata: object;
      readonly spec: {
        readonly containers: readonly { readonly [field: string]: unknown }[];
        readonly volumes?: unknown;
      };
    };
  };
}

/** The fields that the rows set, without the real server's defaults. */
const containers = ({ metadata, spec }: Body) => ({
  version: { resourceVersion: metadata.resourceVersion },
  replicas: spec.replicas,
  template: spec.template.metadata,
  volumes: spec.template.spec.volumes,
  containers: spec.template.spec.containers.map(({ name, image, args, env, ports, volumeMounts }) => ({
    name,
    image,
    args,
    env,
    ports,
    volumeMounts,
  })),
  managers: metadata.managedFields
    .filter(({ operation }) => operation === 'Apply')
    .map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 })),
});

const APPLIED = { fieldManager: 'lintel' };
const FORCED = { fieldManager: 'lintel', force: true };
const apply = (
  name: string,
  container: object,
  query: Step['query'] = APPLIED,
  spec: object = {},
  more: readonly object[] = [],
): Step => ({
  method: 'APPLY',
  path: `deployments/${name}`,
  query,
  // The real server has defaults for replicas and pull policy, so both are always set.
  body: deployment(name, { ...container }, { replicas: 1, ...spec }, more as never),
  show: containers,
});

/** Server-side apply: keyed lists, ownership, conflicts. */
export const APPLY: readonly Row[] = [
  {
    name: 'an apply that creates an object, and the same apply again',
    steps: [
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: APPLIED,
        body: configMap('a', { data: { k: 'v' } }, { labels: { x: '1' } }),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: APPLIED,
        body: configMap('a', { data: { k: 'v' } }, { labels: { x: '1' } }),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: APPLIED,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: w\n',
      },
    ],
  },
  {
    name: 'fields that are no longer applied are removed unless another manager owns them',
    steps: [
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: APPLIED,
        body: configMap('a', { data: { k: 'v', l: 'v', m: 'v' } }, { annotations: { n: '1' } }),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { fieldManager: 'other' },
        body: configMap('a', { data: { l: 'v' } }),
      },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { m: 'v' } }) },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a') },
      { method: 'APPLY', path: 'configmaps/a', query: { fieldManager: 'other' }, body: configMap('a') },
    ],
  },
  {
    name: 'conflicts with an updater and an applier, and force',
    steps: [
      {
        method: 'POST',
        path: 'configmaps',
        query: { fieldManager: 'kubectl-create' },
        body: configMap('a', { data: { k: 'v', l: 'v' } }),
      },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { k: 'w' } }) },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { k: 'v' } }) },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { fieldManager: 'other' },
        body: configMap('a', { data: { k: 'x', l: 'x' } }),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { fieldManager: 'other', force: true },
        body: configMap('a', { data: { k: 'x', l: 'x' } }),
      },
    ],
  },
  {
    name: 'an update takes over fields',
    steps: [
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { k: 'v', l: 'v' } }) },
      { method: 'PATCH', path: 'configmaps/a', query: { fieldManager: 'editor' }, body: { data: { k: 'w' } } },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { k: 'v', l: 'v' } }) },
      { method: 'APPLY', path: 'configmaps/a', query: FORCED, body: configMap('a', { data: { k: 'v', l: 'v' } }) },
      { method: 'PATCH', path: 'configmaps/a', query: { fieldManager: 'editor' }, body: { data: { l: null } } },
      { method: 'APPLY', path: 'configmaps/a', query: FORCED, body: configMap('a', { data: { k: 'v', l: 'v' } }) },
    ],
  },
  {
    name: 'a field that all its managers gave up',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'v', l: 'v' } }) },
      { method: 'PATCH', path: 'configmaps/a', body: { metadata: { managedFields: [{}] } } },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { k: 'v' } }) },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { k: 'w' } }) },
    ],
  },
  {
    name: 'containers, ports and variables are found by their keys',
    steps: [
      apply('a', {
        env: [
          { name: 'ONE', value: '1' },
          { name: 'TWO', value: '2' },
        ],
        ports: [
          { containerPort: 80, name: 'http', protocol: 'TCP' },
          { containerPort: 80, name: 'quic', protocol: 'UDP' },
        ],
      }),
      {
        method: 'APPLY',
        path: 'deployments/a',
        query: { fieldManager: 'injector' },
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'a' },
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'main', env: [{ name: 'THREE', value: '3' }] },
                  { name: 'sidecar', image: 'side:1' },
                ],
              },
            },
          },
        },
        show: containers,
      },
      apply('a', {
        env: [
          { name: 'TWO', value: '22' },
          { name: 'FOUR', value: '4' },
        ],
        ports: [{ containerPort: 80, name: 'quic', protocol: 'UDP' }],
      }),
      apply('a', { image: 'image:2' }),
    ],
  },
  {
    name: 'the order of lists',
    steps: [
      apply('a', { env: ['A', 'B', 'C', 'D'].map(name => ({ name, value: '1' })) }),
      apply('a', { env: ['X', 'B', 'Y'].map(name => ({ name, value: '2' })) }, { fieldManager: 'other', force: true }),
      apply('a', { env: ['D', 'A', 'Z', 'C', 'B'].map(name => ({ name, value: '3' })) }, FORCED),
      apply(
        'a',
        { env: ['Z', 'Y', 'X', 'D'].map(name => ({ name, value: '3' })) },
        { fieldManager: 'third', force: true },
      ),
    ],
  },
  {
    name: 'volumes and where they are mounted',
    steps: [
      apply('a', { volumeMounts: [{ name: 'one', mountPath: '/one' }] }, APPLIED, {
        template: {
          metadata: { labels: { app: 'a' } },
          spec: {
            volumes: [{ name: 'one', emptyDir: {} }],
            containers: [{ name: 'main', image: 'image:1', volumeMounts: [{ name: 'one', mountPath: '/one' }] }],
          },
        },
      }),
      apply('a', {}, APPLIED, {
        template: {
          metadata: { labels: { app: 'a' }, annotations: { changed: 'yes' } },
          spec: {
            volumes: [{ name: 'two', emptyDir: {} }],
            containers: [
              {
                name: 'main',
                image: 'image:1',
                volumeMounts: [{ name: 'two', mountPath: '/two' }],
                args: ['--one', '--two'],
              },
            ],
          },
        },
      }),
    ],
  },
  {
    name: 'lists without keys are one value',
    steps: [
      apply('a', { args: ['--one', '--two'] }),
      apply('a', { args: ['--three'] }, { fieldManager: 'other' }),
      apply('a', { args: ['--three'] }, { fieldManager: 'other', force: true }),
      apply('a', {}),
    ],
  },
  {
    name: 'a container that is removed, and fields of other managers in it',
    steps: [
      apply('a', {}, APPLIED, {}, [{ name: 'side', image: 'side:1', env: [{ name: 'A', value: '1' }] }]),
      {
        method: 'PATCH',
        path: 'deployments/a',
        query: { fieldManager: 'editor' },
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'a' },
          spec: {
            template: { spec: { containers: [{ name: 'side', env: [{ name: 'B', value: '2' }], image: 'side:1' }] } },
          },
        },
        show: containers,
      },
      apply('a', {}),
    ],
  },
  {
    name: 'replicas that are left to another manager',
    steps: [
      apply('a', {}),
      {
        method: 'PATCH',
        path: 'deployments/a',
        query: { fieldManager: 'scaler' },
        body: { spec: { replicas: 5 } },
        show: containers,
      },
      apply('a', {}),
      { method: 'APPLY', path: 'deployments/a', query: APPLIED, body: deployment('a'), show: containers },
    ],
  },
  {
    name: 'finalizers are a set, owners are found by uid',
    steps: [
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: APPLIED,
        body: configMap('a', {}, { finalizers: ['a.example/one'] }),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { fieldManager: 'other' },
        body: configMap('a', {}, { finalizers: ['a.example/two'] }),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: APPLIED,
        body: configMap(
          'a',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '00000000-0000-4000-8000-000000000001' },
            ],
          },
        ),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { fieldManager: 'other' },
        body: configMap(
          'a',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: '00000000-0000-4000-8000-000000000002' },
            ],
          },
        ),
      },
    ],
  },
  {
    name: 'dry runs of applies',
    steps: [
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { ...APPLIED, dryRun: 'All' },
        body: configMap('a', { data: { k: 'v' } }),
      },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { data: { k: 'v' } }) },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { ...APPLIED, dryRun: 'All' },
        body: configMap('a', { data: { k: 'v' } }),
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: { ...APPLIED, dryRun: 'All' },
        body: configMap('a', { data: { k: 'w' } }),
      },
      { method: 'GET', path: 'configmaps/a' },
    ],
  },
  {
    name: 'applies that are refused',
    steps: [
      { method: 'APPLY', path: 'configmaps/a', body: configMap('a') },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        query: APPLIED,
        body: configMap('a', {}, { managedFields: [{ manager: 'x' }] }),
      },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', {}, { resourceVersion: '7' }) },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('b') },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: configMap('a', { nothing: true }) },
      {
        method: 'APPLY',
        path: 'deployments/a',
        query: APPLIED,
        body: deployment('a', {
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
          ],
        }),
      },
      { method: 'APPLY', path: 'gatewaysources/a', query: APPLIED, body: gatewaySource('a', { nothing: true }) },
      { method: 'APPLY', path: '/api/v1/namespaces/nowhere/configmaps/a', query: APPLIED, body: configMap('a') },
      { method: 'APPLY', path: 'configmaps/a', query: APPLIED, body: ': : :', statusOnly: true },
    ],
  },
];
