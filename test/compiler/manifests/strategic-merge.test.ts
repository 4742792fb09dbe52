/** Merges `podTemplateSpec` into a generated template, like `kubectl patch --type strategic`. */
import { expect, test } from 'vitest';
import { mergePodTemplate } from '../../../compiler/emit/manifests/strategic-merge/merge.ts';

type Fields = { readonly [field: string]: unknown };

const pod = (spec: Fields): Fields => ({ spec });

const VMCP = { name: 'vmcp', image: 'a', env: [{ name: 'A', value: '1' }] };
const SIDE = { name: 'side', image: 'b' };

test.each<[what: string, base: Fields, patch: Fields, expected: Fields]>([
  ['an empty template changes nothing', pod({ a: 1 }), {}, pod({ a: 1 })],
  ['a value replaces a value', pod({ nodeName: 'a' }), pod({ nodeName: 'b' }), pod({ nodeName: 'b' })],
  [
    'fields of mappings are merged',
    pod({ nodeSelector: { a: '1' } }),
    pod({ nodeSelector: { b: '2' } }),
    pod({ nodeSelector: { a: '1', b: '2' } }),
  ],
  [
    'null removes a field',
    pod({ securityContext: { runAsUser: 1, fsGroup: 2 } }),
    pod({ securityContext: { runAsUser: null } }),
    pod({ securityContext: { fsGroup: 2 } }),
  ],
  [
    'null in a new mapping adds nothing',
    pod({}),
    pod({ securityContext: { runAsUser: null, fsGroup: 2 } }),
    pod({ securityContext: { fsGroup: 2 } }),
  ],
  ['unknown fields are kept', pod({ a: { b: 1 } }), pod({ a: { c: [1] }, d: 2 }), pod({ a: { b: 1, c: [1] }, d: 2 })],
  ['a mapping replaces a value', pod({ a: 1 }), pod({ a: { b: 1 } }), pod({ a: { b: 1 } })],

  [
    'containers are merged by name',
    pod({ containers: [VMCP] }),
    pod({ containers: [{ name: 'vmcp', image: 'c' }] }),
    pod({ containers: [{ ...VMCP, image: 'c' }] }),
  ],
  [
    'another container is appended',
    pod({ containers: [VMCP] }),
    pod({ containers: [SIDE] }),
    pod({ containers: [VMCP, SIDE] }),
  ],
  [
    'variables are merged by name',
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
    'a variable from a Secret replaces a value',
    pod({ containers: [VMCP] }),
    pod({
      containers: [
        { name: 'vmcp', env: [{ name: 'A', value: null, valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
      ],
    }),
    pod({ containers: [{ ...VMCP, env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }] }),
  ],
  [
    'ports are merged by number',
    pod({ containers: [{ name: 'vmcp', ports: [{ containerPort: 1, name: 'a' }] }] }),
    pod({ containers: [{ name: 'vmcp', ports: [{ containerPort: 1, name: 'b' }, { containerPort: 2 }] }] }),
    pod({ containers: [{ name: 'vmcp', ports: [{ containerPort: 1, name: 'b' }, { containerPort: 2 }] }] }),
  ],
  [
    'mounts are merged by path',
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
    'volumes are merged by name',
    pod({ volumes: [{ name: 'a', emptyDir: {} }] }),
    pod({ volumes: [{ name: 'a', emptyDir: { medium: 'Memory' } }] }),
    pod({ volumes: [{ name: 'a', emptyDir: { medium: 'Memory' } }] }),
  ],
  [
    'spread constraints are merged by topology key',
    pod({ topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 1 }] }),
    pod({ topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 2 }] }),
    pod({ topologySpreadConstraints: [{ topologyKey: 'z', maxSkew: 2 }] }),
  ],
  [
    'host aliases are merged by address',
    pod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }] }),
    pod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['b'] }] }),
    pod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['b'] }] }),
  ],
  [
    'init containers are merged by name',
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
    'finalizers are merged as a set',
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { finalizers: ['b', 'c'] } },
    { metadata: { finalizers: ['a', 'b', 'c'] } },
  ],

  [
    '$patch: delete removes an item',
    pod({ containers: [VMCP, SIDE] }),
    pod({ containers: [{ name: 'side', $patch: 'delete' }] }),
    pod({ containers: [VMCP] }),
  ],
  [
    '$patch: delete of a missing item changes nothing',
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
    '$patch: replace replaces a mapping',
    pod({ securityContext: { runAsUser: 1 } }),
    pod({ securityContext: { $patch: 'replace', fsGroup: 2 } }),
    pod({ securityContext: { fsGroup: 2 } }),
  ],
  [
    '$patch: replace replaces a list',
    pod({ volumes: [{ name: 'a' }] }),
    pod({ volumes: [{ $patch: 'replace' }, { name: 'b' }] }),
    pod({ volumes: [{ name: 'b' }] }),
  ],
  [
    '$patch: merge merges as usual',
    pod({ nodeSelector: { a: '1' } }),
    pod({ nodeSelector: { $patch: 'merge', b: '2' } }),
    pod({ nodeSelector: { a: '1', b: '2' } }),
  ],
  [
    '$deleteFromPrimitiveList removes items',
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
    '$retainKeys replaces a kind of volume',
    pod({ volumes: [{ name: 'a', emptyDir: {} }] }),
    pod({ volumes: [{ name: 'a', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] }),
    pod({ volumes: [{ name: 'a', hostPath: { path: '/x' } }] }),
  ],
  [
    'directives in a new mapping are removed',
    pod({}),
    pod({ affinity: { $patch: 'replace', a: { $retainKeys: ['b'], b: 1 } } }),
    pod({ affinity: { a: { b: 1 } } }),
  ],
])('a pod template is merged into the generated pod as Kubernetes does: %s', (_, base, patch, expected) => {
  const [before, asked] = [structuredClone(base), structuredClone(patch)];
  expect(mergePodTemplate(base, patch)).toEqual(expected);
  expect([base, patch]).toEqual([before, asked]);
});
