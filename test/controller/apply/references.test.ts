import { expect, test } from 'vitest';
import { findReferences } from '../../../controller/apply/references.ts';

const env = (name: string, valueFrom: object): object => ({ name, valueFrom });

test('the controller finds every reference of a pod to a Secret or a ConfigMap', () => {
  const spec = {
    imagePullSecrets: [{ name: 'pull' }],
    initContainers: [{ name: 'i', env: [env('I', { secretKeyRef: { name: 'init', key: 'k' } })] }],
    containers: [
      {
        name: 'vmcp',
        env: [
          env('A', { secretKeyRef: { name: 's', key: 'b' } }),
          env('B', { secretKeyRef: { name: 's', key: 'a' } }),
          env('C', { secretKeyRef: { name: 'maybe', key: 'x', optional: true } }),
          env('D', { configMapKeyRef: { name: 'c', key: 'y' } }),
          { name: 'E', value: 'plain' },
        ],
        envFrom: [{ secretRef: { name: 'all' } }, { configMapRef: { name: 'c' } }],
      },
    ],
    volumes: [
      { name: '1', secret: { secretName: 'files', items: [{ key: 'tls.crt', path: 'a' }] } },
      { name: '2', configMap: { name: 'ca', items: [{ key: 'ca.crt', path: 'a' }], optional: true } },
      { name: '3', projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'kube-root-ca.crt' } }] } },
      { name: '4', emptyDir: {} },
    ],
  };
  const metadata = { name: 'd' };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template: { spec } } };
  expect(findReferences(deployment)).toEqual([
    { kind: 'Secret', name: 'init', keys: ['k'], isOptional: false },
    { kind: 'Secret', name: 's', keys: ['a', 'b'], isOptional: false },
    { kind: 'Secret', name: 'maybe', keys: ['x'], isOptional: true },
    { kind: 'ConfigMap', name: 'c', keys: ['y'], isOptional: false },
    { kind: 'Secret', name: 'all', keys: [], isOptional: false },
    { kind: 'Secret', name: 'files', keys: ['tls.crt'], isOptional: false },
    { kind: 'ConfigMap', name: 'ca', keys: ['ca.crt'], isOptional: true },
    { kind: 'Secret', name: 'pull', keys: [], isOptional: true },
  ]);
});
