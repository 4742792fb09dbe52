import { configMap, deployment } from '../objects.ts';
import { type Row, readUid, readVersion } from '../transcript.ts';

interface Body {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly uid: string;
    readonly generation: number;
    readonly name: string;
  };
}

const generation = ({ metadata }: Body) => metadata.generation;

/** POST, PUT and merge patches. */
export const WRITES: readonly Row[] = [
  {
    name: 'creation of an object, reading it, and creation with the same name',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'v' } }, { labels: { x: '1' } }) },
      { method: 'GET', path: 'configmaps/a' },
      { method: 'POST', path: 'configmaps', body: configMap('a') },
      { method: 'GET', path: 'configmaps/b' },
    ],
  },
  {
    name: 'creation in a missing namespace',
    steps: [{ method: 'POST', path: '/api/v1/namespaces/nowhere/configmaps', body: configMap('a') }],
  },
  {
    name: 'creation with the wrong kind, version or namespace',
    steps: [
      { method: 'POST', path: 'configmaps', body: { ...configMap('a'), kind: 'Secret' } },
      { method: 'POST', path: 'configmaps', body: configMap('a', {}, { namespace: 'other' }) },
      { method: 'POST', path: 'configmaps', body: configMap('a', {}, { resourceVersion: '7' }) },
    ],
  },
  {
    name: 'a name from generateName',
    steps: [
      {
        method: 'POST',
        path: 'configmaps',
        body: { ...configMap(''), metadata: { generateName: 'some-' } },
        show: ({ metadata }: Body) => /^some-[a-z0-9]{5}$/.test(metadata.name),
      },
    ],
  },
  {
    name: 'objects with no name, a bad name or a bad label are refused',
    steps: [
      { method: 'POST', path: 'configmaps', body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} } },
      { method: 'POST', path: 'configmaps', body: configMap('Not_A_Name') },
      { method: 'POST', path: 'configmaps', body: configMap('a', {}, { labels: { x: 'not a value' } }) },
    ],
  },
  {
    name: 'replacement with the current version, with an old version, and without a version',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'v' } }) },
      {
        method: 'PUT',
        path: 'configmaps/a',
        body: ([first]) => configMap('a', { data: { k: 'w' } }, { resourceVersion: readVersion(first) }),
      },
      {
        method: 'PUT',
        path: 'configmaps/a',
        body: ([first]) => configMap('a', { data: { k: 'x' } }, { resourceVersion: readVersion(first) }),
      },
      { method: 'PUT', path: 'configmaps/a', body: configMap('a', { data: { k: 'y' } }) },
      { method: 'PUT', path: 'configmaps/b', body: configMap('b') },
      { method: 'PUT', path: 'configmaps/a', body: configMap('b') },
    ],
  },
  {
    name: 'replacement by an equal object changes nothing',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'v' } }) },
      { method: 'PUT', path: 'configmaps/a', body: ([first]) => first?.body },
      {
        method: 'PUT',
        path: 'configmaps/a',
        query: { fieldManager: 'other' },
        body: configMap('a', { data: { k: 'v' } }),
      },
    ],
  },
  {
    name: 'a merge patch adds, replaces and removes',
    steps: [
      {
        method: 'POST',
        path: 'configmaps',
        body: configMap('a', { data: { k: 'v', l: 'v' } }, { labels: { x: '1' } }),
      },
      {
        method: 'PATCH',
        path: 'configmaps/a',
        query: { fieldManager: 'patcher' },
        body: { data: { k: null, l: 'w', m: 'n' }, metadata: { annotations: { note: 'yes' } } },
      },
      { method: 'PATCH', path: 'configmaps/a', query: { fieldManager: 'patcher' }, body: { data: { l: 'w' } } },
      { method: 'PATCH', path: 'configmaps/a', body: { metadata: { resourceVersion: '1' }, data: { l: 'x' } } },
      { method: 'PATCH', path: 'configmaps/b', body: { data: { l: 'x' } } },
    ],
  },
  {
    name: 'an immutable ConfigMap',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'v' }, immutable: true }) },
      { method: 'PATCH', path: 'configmaps/a', body: { data: { k: 'w' } } },
      { method: 'PATCH', path: 'configmaps/a', body: { immutable: false } },
      { method: 'PATCH', path: 'configmaps/a', body: { binaryData: { b: 'AAAA' } } },
      { method: 'PATCH', path: 'configmaps/a', body: { metadata: { labels: { still: 'changes' } } } },
    ],
  },
  {
    name: 'a ConfigMap that is too big',
    steps: [{ method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'x'.repeat(1_048_577) } }) }],
  },
  {
    name: 'generations count changes of the spec',
    steps: [
      { method: 'POST', path: 'deployments', body: deployment('a'), show: generation },
      { method: 'PATCH', path: 'deployments/a', body: { metadata: { labels: { x: '1' } } }, show: generation },
      { method: 'PATCH', path: 'deployments/a', body: { metadata: { annotations: { x: '1' } } }, show: generation },
      { method: 'PATCH', path: 'deployments/a', body: { spec: { replicas: 3 } }, show: generation },
      { method: 'PATCH', path: 'deployments/a/status', body: { status: { replicas: 3 } }, show: generation },
      { method: 'PATCH', path: 'deployments/a', body: { spec: { replicas: 3 } }, show: generation },
    ],
  },
  {
    name: 'the selector of a Deployment stays',
    steps: [
      { method: 'POST', path: 'deployments', body: deployment('a'), show: generation },
      {
        method: 'PATCH',
        path: 'deployments/a',
        body: { spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } } },
      },
    ],
  },
  {
    name: 'dry runs change nothing',
    steps: [
      { method: 'POST', path: 'configmaps', query: { dryRun: 'All' }, body: configMap('a', { data: { k: 'v' } }) },
      { method: 'GET', path: 'configmaps/a' },
      { method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'v' } }) },
      { method: 'PATCH', path: 'configmaps/a', query: { dryRun: 'All' }, body: { data: { k: 'w' } } },
      { method: 'DELETE', path: 'configmaps/a', query: { dryRun: 'All' } },
      { method: 'GET', path: 'configmaps/a' },
    ],
  },
  {
    name: 'unknown fields are dropped, or refused when asked to',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a', { data: { k: 'v' }, nothing: 1 }) },
      {
        method: 'POST',
        path: 'configmaps',
        query: { fieldValidation: 'Strict' },
        body: configMap('b', { nothing: 1 }),
      },
    ],
  },
  {
    name: 'a precondition with another uid',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a') },
      {
        method: 'PUT',
        path: 'configmaps/a',
        body: ([first]) =>
          configMap('a', {}, { uid: readUid(first).replace(/^./, digit => (digit === '0' ? '1' : '0')) }),
        show: () => 'replaced',
      },
    ],
  },
  {
    name: 'a Lease, whose version must be given',
    steps: [
      { method: 'POST', path: 'leases', body: lease({ holderIdentity: 'one' }) },
      { method: 'PUT', path: 'leases/a', body: lease({ holderIdentity: 'two' }) },
      {
        method: 'PUT',
        path: 'leases/a',
        body: ([first]) => ({
          ...lease({ holderIdentity: 'two' }),
          metadata: { name: 'a', resourceVersion: readVersion(first) },
        }),
      },
    ],
  },
  {
    name: 'paths that do not exist',
    steps: [
      { method: 'GET', path: '/apis/nothing.example/v1/things' },
      { method: 'GET', path: '/apis/apps/v1/things' },
      { method: 'GET', path: '/apis/lintel.dev/v1beta1/things' },
      { method: 'PUT', path: 'configmaps', body: configMap('a') },
      { method: 'PATCH', path: 'configmaps/a', contentType: 'text/plain', body: 'x', statusOnly: true },
    ],
  },
];

function lease(spec: object): object {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec };
}
