/** Merges `podTemplateSpec` into a generated template, like `kubectl patch --type strategic`. */
import { expect, test } from 'vitest';
import { mergePodTemplate } from '../../../compiler/emit/manifests/strategic-merge/merge.ts';

type Fields = { readonly [field: string]: unknown };

const pod = (spec: Fields): Fields => ({ spec });

const VMCP = { name: 'vmcp', image: 'a', env: [{ name: 'A', value: '1' }] };
const SIDE = { name: 'side', image: 'b' };

test.each<[what: string, base: Fields, patch: Fields, expected: Fields]>([
  ['nothing', pod({ a: 1 }), {}, pod({ a: 1 })],
  ['a value takes the place of a value', pod({ nodeName: 'a' }), pod({ nodeName: 'b' }), pod({ nodeName: 'b' })],
  [
    'members of mappings are joined',
    pod({ nodeSelector: { a: '1' } }),
    pod({ nodeSelector: { b: '2' } }),
    pod({ nodeSelector: { a: '1', b: '2' } }),
  ],
  [
    'null takes away',
    pod({ securityContext: { runAsUser: 1, fsGroup: 2 } }),
    pod({ securityContext: { runAsUser: null } }),
    pod({ securityContext: { fsGroup: 2 } }),
  ],
  [
    'null in what is new is nothing',
    pod({}),
    pod({ securityContext: { runAsUser: null, fsGroup: 2 } }),
    pod({ securityContext: { fsGroup: 2 } }),
  ],
  ['unknown members are kept', pod({ a: { b: 1 } }), pod({ a: { c: [1] }, d: 2 }), pod({ a: { b: 1, c: [1] }, d: 2 })],
  ['a mapping in place of a value', pod({ a: 1 }), pod({ a: { b: 1 } }), pod({ a: { b: 1 } })],

  [
    'containers by name',
    pod({ containers: [VMCP] }),
    pod({ containers: [{ name: 'vmcp', image: 'c' }] }),
    pod({ containers: [{ ...VMCP, image: 'c' }] }),
  ],
  [
    'another container comes behind',
    pod({ containers: [VMCP] }),
    pod({ containers: [SIDE] }),
    pod({ containers: [VMCP, SIDE] }),
  ],
  [
    'variables by name',
    pod({ containers: [VMCP] }),
    pod({
      containers: [
        {
          name: 'vmcp',
          env: [
            { name: 'B', value: '2' },
            { name: 'A', value: '3' },
          ],
        },
      ],
    }),
    pod({
      containers: [
        {
          ...VMCP,
          env: [
            { name: 'A', value: '3' },
            { name: 'B', value: '2' },
          ],
        },
      ],
    }),
  ],
  [
    'a variable from a Secret in place of a value',
    pod({ containers: [VMCP] }),
    pod({
      containers: [
        { name: 'vmcp', env: [{ name: 'A', value: null, valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
      ],
    }),
    pod({ containers: [{ ...VMCP, env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }] }),
  ],
  [
    'ports by number',
    pod({ containers: [{ name: 'vmcp', ports: [{ containerPort: 1, name: 'a' }] }] }),
    pod({ containers: [{ name: 'vmcp', ports: [{ containerPort: 1, name: 'b' }, { containerPort: 2 }] }] }),
    pod({ containers: [{ name: 'vmcp', ports: [{ containerPort: 1, name: 'b' }, { containerPort: 2 }] }] }),
  ],
  [
    'mounts by path',
    pod({ containers: [{ name: 'vmcp', volumeMounts: [{ mountPath: '/a', name: 'x' }] }] }),
    pod({
      containers: [
        {
          name: 'vmcp',
          volumeMounts: [
            { mountPath: '/a', name: 'y' },
            { mountPath: '/b', name: 'x' },
          ],
        },
      ],
    }),
    pod({
      containers: [
        {
          name: 'vmcp',
          volumeMounts: [
            { mountPath: '/a', name: 'y' },
            { mountPath: '/b', name: 'x' },
          ],
        },
      ],
    }),
  ],
  [
    'volumes by name',
    pod({ volumes: [{ name: 'a', emptyDir: {} }] }),
    pod({ volumes: [{ name: 'a', emptyDir: { medium: 'Memory' } }] }),
    pod({ volumes: [{ name: 'a', emptyDir: { medium: 'Memory' } }] }),
  ],
  [
    'spread constraints by topology key',
    pod({ topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 1 }] }),
    pod({ topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 2 }] }),
    pod({ topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 2 }] }),
  ],
  [
    'host aliases by address',
    pod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }] }),
    pod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['b'] }] }),
    pod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['b'] }] }),
  ],
  [
    'init containers by name',
    pod({ initContainers: [SIDE] }),
    pod({ initContainers: [{ name: 'side', image: 'c' }] }),
    pod({ initContainers: [{ name: 'side', image: 'c' }] }),
  ],

  [
    'arguments are replaced',
    pod({ containers: [{ name: 'vmcp', args: ['a', 'b'] }] }),
    pod({ containers: [{ name: 'vmcp', args: ['c'] }] }),
    pod({ containers: [{ name: 'vmcp', args: ['c'] }] }),
  ],
  [
    'tolerations are replaced',
    pod({ tolerations: [{ key: 'a' }] }),
    pod({ tolerations: [{ key: 'b' }] }),
    pod({ tolerations: [{ key: 'b' }] }),
  ],
  [
    'finalizers are a set',
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { finalizers: ['b', 'c'] } },
    { metadata: { finalizers: ['a', 'b', 'c'] } },
  ],

  [
    '$patch: delete takes an item away',
    pod({ containers: [VMCP, SIDE] }),
    pod({ containers: [{ name: 'side', $patch: 'delete' }] }),
    pod({ containers: [VMCP] }),
  ],
  [
    '$patch: delete of what is not there',
    pod({ containers: [VMCP] }),
    pod({ containers: [{ name: 'side', $patch: 'delete' }] }),
    pod({ containers: [VMCP] }),
  ],
  [
    '$patch: delete empties a mapping',
    pod({ nodeSelector: { a: '1' } }),
    pod({ nodeSelector: { $patch: 'delete' } }),
    pod({ nodeSelector: {} }),
  ],
  [
    '$patch: replace of a mapping',
    pod({ securityContext: { runAsUser: 1 } }),
    pod({ securityContext: { $patch: 'replace', fsGroup: 2 } }),
    pod({ securityContext: { fsGroup: 2 } }),
  ],
  [
    '$patch: replace of a list',
    pod({ volumes: [{ name: 'a' }] }),
    pod({ volumes: [{ $patch: 'replace' }, { name: 'b' }] }),
    pod({ volumes: [{ name: 'b' }] }),
  ],
  [
    '$patch: merge is what happens anyway',
    pod({ nodeSelector: { a: '1' } }),
    pod({ nodeSelector: { $patch: 'merge', b: '2' } }),
    pod({ nodeSelector: { a: '1', b: '2' } }),
  ],
  [
    '$deleteFromPrimitiveList',
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    { metadata: { finalizers: ['b'] } },
  ],
  [
    '$setElementOrder is ignored',
    pod({ containers: [VMCP, SIDE] }),
    pod({
      '$setElementOrder/containers': [{ name: 'side' }, { name: 'vmcp' }],
      containers: [{ name: 'side', image: 'c' }],
    }),
    pod({ containers: [VMCP, { ...SIDE, image: 'c' }] }),
  ],
  [
    '$retainKeys: one kind of volume in place of another',
    pod({ volumes: [{ name: 'a', emptyDir: {} }] }),
    pod({ volumes: [{ name: 'a', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] }),
    pod({ volumes: [{ name: 'a', hostPath: { path: '/x' } }] }),
  ],
  [
    'directives in what is new leave no trace',
    pod({}),
    pod({ affinity: { $patch: 'replace', a: { $retainKeys: ['b'], b: 1 } } }),
    pod({ affinity: { a: { b: 1 } } }),
  ],
])('%s', (_, base, patch, expected) => {
  const [before, asked] = [structuredClone(base), structuredClone(patch)];
  expect(mergePodTemplate(base, patch)).toEqual(expected);
  expect([base, patch]).toEqual([before, asked]);
});
