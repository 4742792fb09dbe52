import { configMap, deployment, mcpGroup } from '../objects.ts';
import { type Row, readUid } from '../transcript.ts';

interface Body {
  readonly metadata: {
    readonly uid: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

const finalizers = ({ metadata }: Body) => ({
  isDeleting: metadata.deletionTimestamp !== undefined,
  finalizers: metadata.finalizers,
});

const pod = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'main', image: 'image:1' }], ...spec },
});

export const DELETION: readonly Row[] = [
  {
    name: 'an existing and a missing object',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a') },
      { method: 'DELETE', path: 'configmaps/a' },
      { method: 'DELETE', path: 'configmaps/a' },
      { method: 'POST', path: 'mcpgroups', body: mcpGroup('a') },
      { method: 'DELETE', path: 'mcpgroups/a' },
    ],
  },
  {
    name: 'deletion of only the object with a uid',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a') },
      {
        method: 'DELETE',
        path: 'configmaps/a',
        body: { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } },
      },
      {
        method: 'DELETE',
        path: 'configmaps/a',
        body: ([first]) => ({ preconditions: { uid: readUid(first) } }),
      },
    ],
  },
  {
    name: 'a finalizer holds the object',
    steps: [
      {
        method: 'POST',
        path: 'mcpgroups',
        body: { ...mcpGroup('a'), metadata: { name: 'a', finalizers: ['example.com/hold'] } },
      },
      { method: 'DELETE', path: 'mcpgroups/a' },
      { method: 'DELETE', path: 'mcpgroups/a' },
      {
        method: 'PATCH',
        path: 'mcpgroups/a',
        body: { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } },
      },
      { method: 'PATCH', path: 'mcpgroups/a', body: { metadata: { finalizers: null } } },
      { method: 'GET', path: 'mcpgroups/a' },
    ],
  },
  {
    name: 'deletion in the foreground, and deletion that leaves orphans',
    steps: [
      { method: 'POST', path: 'deployments', body: deployment('a'), show: finalizers },
      { method: 'DELETE', path: 'deployments/a', body: { propagationPolicy: 'Foreground' }, show: finalizers },
      { method: 'POST', path: 'deployments', body: deployment('b'), show: finalizers },
      { method: 'DELETE', path: 'deployments/b', query: { propagationPolicy: 'Orphan' }, show: finalizers },
    ],
  },
  {
    name: 'a pod that runs on a node has time to end',
    steps: [
      { method: 'POST', path: 'pods', body: pod({ nodeName: 'node' }), show: finalizers },
      {
        method: 'DELETE',
        path: 'pods/a',
        show: ({ metadata }: { metadata: { deletionGracePeriodSeconds: number } }) =>
          metadata.deletionGracePeriodSeconds,
      },
      { method: 'DELETE', path: 'pods/a', body: { gracePeriodSeconds: 0 }, show: () => 'deleted' },
      { method: 'GET', path: 'pods/a' },
    ],
  },
  {
    name: 'a pod without a node is deleted at once',
    steps: [
      { method: 'POST', path: 'pods', body: pod({}), show: finalizers },
      { method: 'DELETE', path: 'pods/a', show: () => 'deleted' },
      { method: 'GET', path: 'pods/a' },
    ],
  },
  {
    name: 'deletion of all objects that a label selects',
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('a', {}, { labels: { x: '1' } }) },
      { method: 'POST', path: 'configmaps', body: configMap('b') },
      {
        method: 'DELETE',
        path: 'configmaps',
        query: { labelSelector: 'x' },
        show: ({ kind }: { kind: string }) => kind,
      },
      { method: 'GET', path: 'configmaps/a' },
      { method: 'GET', path: 'configmaps/b' },
    ],
  },
];
