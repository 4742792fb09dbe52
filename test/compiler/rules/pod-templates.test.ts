/** `podTemplateSpec` decodes as a pod template, and addresses the container of its kind. */
import { expect, test } from 'vitest';
import { podTemplates } from '../../../compiler/rules/pod-templates.ts';
import { gateway, judge, object } from '../../support/rule.ts';

const template = (text: string) => gateway(`incomingAuth: { type: anonymous }\n  podTemplateSpec: ${text}`);

test.each<[string, string[], string[]]>([
  [
    'as in a Deployment',
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
    'directives that are none',
    [
      template(
        '{ $patch: remove, $order: [], metadata: { $retainKeys: a }, spec: { containers: [{ $patch: swap }, { name: vmcp, $patch: delete }] } }',
      ),
    ],
    [
      'LNT1046 error 7:30 $patch must be one of delete, merge, replace',
      'LNT1046 error 7:38 a pod template has no field "$order" here',
      'LNT1046 error 7:75 $retainKeys must be a list',
      'LNT1046 error 7:111 $patch must be one of delete, merge, replace',
      'LNT1046 error 7:141 container "vmcp" is the server itself and cannot be taken away',
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
    'fields that a pod template does not have',
    [
      template(
        '{ sepc: {}, kind: Pod, metadata: { label: {} }, spec: { container: [], containers: [{ name: vmcp, ressources: {} }] } }',
      ),
    ],
    [
      'LNT1046 error 7:22 a pod template has no field "sepc" here',
      'LNT1046 error 7:32 a pod template has no field "kind" here',
      'LNT1046 error 7:55 a pod template has no field "label" here',
      'LNT1046 error 7:76 a pod template has no field "container" here',
      'LNT1046 error 7:118 a pod template has no field "ressources" here',
    ],
  ],
  [
    'fields of another type',
    [
      template(
        '{ metadata: [], spec: { containers: {}, hostNetwork: yes please, nodeSelector: { disk: 1 }, securityContext: x, priority: high } }',
      ),
      template('{ spec: { containers: [vmcp, { name: vmcp, image: 1, tty: maybe, ports: {} }] } }'),
    ],
    [
      'LNT1046 error 7:32 metadata must be a mapping',
      'LNT1046 error 7:56 containers must be a list',
      'LNT1046 error 7:73 hostNetwork must be true or false',
      'LNT1046 error 7:99 nodeSelector must be a mapping of names to strings',
      'LNT1046 error 7:129 securityContext must be a mapping',
      'LNT1046 error 7:142 priority must be a whole number',
      'LNT1046 error 15:43 a container must be a mapping',
      'LNT1046 error 15:70 image must be a string',
      'LNT1046 error 15:78 tty must be true or false',
      'LNT1046 error 15:92 ports must be a list',
    ],
  ],
  [
    'containers have names, and those beside the generated one an image',
    [
      template(
        '{ spec: { containers: [{ image: x }, { name: gateway }, { name: vmcp }, { name: vmcp }], initContainers: [{ name: vmcp }] } }',
      ),
    ],
    [
      'LNT1046 error 7:134 container "vmcp" is added to the pod and has no image',
      'LNT1046 error 7:43 a container needs a name, by which it is merged with the generated one',
      'LNT1046 error 7:65 container "gateway" is added to the pod and has no image',
      'LNT1046 error 7:100 two containers are named "vmcp"',
    ],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(podTemplates, ...objects)).toEqual(expected);
});
