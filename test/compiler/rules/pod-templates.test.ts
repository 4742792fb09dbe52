/** `podTemplateSpec` decodes as a pod template, and addresses the container of its kind. */
import { expect, test } from 'vitest';
import { findings, gateway, judge, object } from '../../support/rule.ts';

const template = (text: string) => gateway(`incomingAuth: { type: anonymous }\n  podTemplateSpec: ${text}`);

test.each<[string, string[], string[]]>([
  [
    'valid fields of a pod',
    [
      template(
        '{ metadata: { labels: { a: b } }, spec: { nodeSelector: { disk: ssd }, tolerations: [], terminationGracePeriodSeconds: 5, hostNetwork: false, serviceAccountName: x, containers: [{ name: vmcp, resources: {}, env: [] }, { name: proxy, image: envoy }], initContainers: [{ name: i, image: busybox }] } }',
      ),
      template('{}'),
      object('MCPServer', '{ image: x, podTemplateSpec: { spec: { containers: [{ name: mcp, env: [] }] } } }'),
      object('EmbeddingServer', '{ podTemplateSpec: { spec: { containers: [{ name: embedding }] } } }'),
    ],
    [],
  ],
  [
    'directives of a strategic merge patch',
    [
      template(
        '{ $patch: merge, metadata: { $deleteFromPrimitiveList/finalizers: [a] }, spec: { $setElementOrder/containers: [{ name: a }], securityContext: { $patch: delete }, containers: [{ $patch: replace }, { name: vmcp, $retainKeys: [name] }, { name: side, $patch: delete }] } }',
      ),
    ],
    [],
  ],
  [
    'invalid patch directives',
    [
      template(
        '{ $patch: remove, $order: [], metadata: { $retainKeys: a }, spec: { containers: [{ $patch: swap }, { name: vmcp, $patch: delete }] } }',
      ),
    ],
    [
      'LNT1046 error 7:38 unknown field "$order"; allowed here: metadata, spec',
      'LNT1046 error 7:30 $patch must be one of delete, merge, replace',
      'LNT1046 error 7:75 $retainKeys must be a list',
      'LNT1046 error 7:111 $patch must be one of delete, merge, replace',
      'LNT1046 error 7:141 container "vmcp" is the server itself and cannot be removed',
    ],
  ],
  [
    'the container of a registry server',
    [
      object(
        'MCPRegistry',
        '{ configYAML: x, podTemplateSpec: { spec: { containers: [{ name: registry-api }, { name: vmcp }] } } }',
      ),
    ],
    ['LNT1046 error 4:96 container "vmcp" is added to the pod and has no image'],
  ],
  [
    'unknown fields',
    [
      template(
        '{ sepc: {}, kind: Pod, metadata: { label: {} }, spec: { container: [], containers: [{ name: vmcp, ressources: {} }] } }',
      ),
    ],
    [
      'LNT1046 error 7:22 unknown field "sepc"; allowed here: metadata, spec',
      'LNT1046 error 7:32 unknown field "kind"; allowed here: metadata, spec',
      'LNT1046 error 7:55 unknown field "label"; allowed here: annotations, creationTimestamp, deletionGracePeriodSeconds, deletionTimestamp, finalizers, generateName, generation, labels, managedFields, name, namespace, ownerReferences and 3 more',
      'LNT1046 error 7:76 unknown field "container"; allowed here: activeDeadlineSeconds, affinity, automountServiceAccountToken, containers, dnsConfig, dnsPolicy, enableServiceLinks, ephemeralContainers, hostAliases, hostIPC, hostNetwork, hostPID and 30 more',
      'LNT1046 error 7:118 unknown field "ressources"; allowed here: args, command, env, envFrom, image, imagePullPolicy, lifecycle, livenessProbe, name, ports, readinessProbe, resizePolicy and 13 more',
    ],
  ],
  [
    'fields of the wrong type',
    [
      template(
        '{ metadata: [], spec: { containers: {}, hostNetwork: yes please, nodeSelector: { disk: 1 }, securityContext: x, priority: high } }',
      ),
      template('{ spec: { containers: [vmcp, { name: vmcp, image: 1, tty: maybe, ports: {} }] } }'),
    ],
    [
      'LNT1046 error 7:32 expected an object, found a list of 0 items',
      'LNT1046 error 7:56 expected a list, found an object',
      'LNT1046 error 7:73 expected true or false, found the string "yes please"',
      'LNT1046 error 7:107 expected a string, found the integer 1; put it in quotes',
      'LNT1046 error 7:129 expected an object, found a string',
      'LNT1046 error 7:142 expected an integer, found the string "high"',
      'LNT1046 error 15:43 expected an object, found a string',
      'LNT1046 error 15:70 expected a string, found the integer 1; put it in quotes',
      'LNT1046 error 15:78 expected true or false, found the string "maybe"',
      'LNT1046 error 15:92 expected a list, found an object',
    ],
  ],
  [
    'containers without a name or an image',
    [
      template(
        '{ spec: { containers: [{ image: x }, { name: gateway }, { name: vmcp }, { name: vmcp }], initContainers: [{ name: vmcp }] } }',
      ),
    ],
    [
      'LNT1046 error 7:43 missing required field "name", a string',
      'LNT1046 error 7:92 items must differ in name: item 3 has the same name "vmcp" as item 2',
      'LNT1046 error 7:134 container "vmcp" is added to the pod and has no image',
      'LNT1046 error 7:65 container "gateway" is added to the pod and has no image',
    ],
  ],
  [
    'null, which removes a field of the generated pod',
    [
      template(
        '{ metadata: null, spec: { securityContext: { runAsUser: null }, containers: [{ name: vmcp, ports: null }] } }',
      ),
    ],
    [],
  ],
  [
    'wrong fields deep inside of a pod',
    [
      template(
        '{ spec: { volumes: [{ name: v, configMap: { name: c, items: [{ key: k }], defaultMod: 0644 } }], containers: [{ name: vmcp, env: [{ name: A, valueFrom: { secretKeyRef: { name: s, kye: k } } }], resources: { limits: { cpu: 1 core, memory: 1.5Gi, a/b: 2 } }, livenessProbe: { httpGet: { port: [] }, periodSeconds: 3000000000 }, imagePullPolicy: always }] } }',
      ),
      template(
        '{ spec: { tolerations: [{ operator: Exist }], affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {} }] } }, containers: [{ name: vmcp, ports: [{ containerPort: 53, protocol: UDP }, { containerPort: 53, protocol: TCP }], env: [{ value: x }, { name: A, value: 1 }] }] } }',
      ),
    ],
    [
      'LNT1046 error 7:81 missing required field "path", a string',
      'LNT1046 error 7:94 unknown field "defaultMod"; allowed here: defaultMode, items, name, optional',
      'LNT1046 error 7:199 unknown field "kye"; allowed here: key, name, optional',
      'LNT1046 error 7:242 expected a quantity such as "500m", "2" or "256Mi", found the string "1 core"',
      'LNT1046 error 7:311 expected an integer or a string, found a list of 0 items',
      'LNT1046 error 7:332 expected an integer of 32 bits, -2147483648 to 2147483647, found the integer 3000000000',
      'LNT1046 error 7:363 expected one of "Always", "IfNotPresent", "Never", found the string "always"',
      'LNT1046 error 15:56 expected one of "Equal", "Exists", "Gt", "Lt", found the string "Exist"',
      'LNT1046 error 15:146 missing required field "topologyKey", a string',
      'LNT1046 error 15:247 items must differ in containerPort: item 1 has the same containerPort 53 as item 0',
      'LNT1046 error 15:292 missing required field "name", a string',
      'LNT1046 error 15:324 expected a string, found an integer; put it in quotes',
    ],
  ],
])('the rule podTemplates gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('podTemplates', ...objects)).toEqual(expected);
});

test('LNT1046 suggests the nearest field and value for a pod template', () => {
  const [field, value] = findings(
    'podTemplates',
    template('{ spec: { containers: [{ name: vmcp, volumeMount: [], imagePullPolicy: always }] } }'),
  );
  expect([field?.fix, value?.fix]).toEqual(['did you mean "volumeMounts"?', 'did you mean "Always"?']);
});
