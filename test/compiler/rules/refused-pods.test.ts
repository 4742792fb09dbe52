/** What the API server would refuse in a merged pod is reported at the user's line in the spec. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { ENTRY, GROUP, gatewayText, registryText } from '../manifests/build.ts';

const ORIGIN = { compilerVersion: '0.0.0', sourceRevision: null };

/** The findings as `LNT1055 spec line:column message`, where line 1 is the object's `spec:`. */
function found(text: string): string[] {
  const { findings } = compile(readTexts([new SourceText('spec.yaml', text)]), { purpose: 'check', origin: ORIGIN });
  const lines = text.split('\n');
  return findings.diagnostics
    .filter(({ code }) => code === 'LNT1055' || code === 'LNT1046')
    .map(({ code, message, range: { start }, fix }) => {
      const line = lines[start.line - 1]?.slice(start.column - 1) ?? '';
      return `${code} ${/^[^\s,}\]]+/.exec(line)?.[0]}: ${message}${fix === undefined ? '' : `; ${fix}`}`;
    });
}

const gateway = (template: string) => found(gatewayText({ spec: `podTemplateSpec:\n${template}` }));

test.each([
  [
    'a mount without a volume',
    `
  spec:
    volumes: [{ name: other, emptyDir: {} }]
    containers:
      - { name: side, image: x }
      - { name: vmcp, volumeMounts: [{ name: other, mountPath: /o }, { name: cache, mountPath: /cache }] }
`,
    ['LNT1055 cache: the pod has no volume "cache"; add it to spec.volumes of the pod template'],
  ],
  [
    'a limit below the request of the generated container',
    `
  spec:
    containers:
      - name: vmcp
        resources:
          limits:
            memory: 64Mi
`,
    ['LNT1055 64Mi: the request of memory (128Mi) is more than its limit (64Mi)'],
  ],
  [
    'a second kind for a generated volume',
    '  spec: { volumes: [{ name: lintel-tmp, hostPath: { path: /t } }] }\n',
    [
      'LNT1055 hostPath:: a volume is of one kind, not emptyDir and hostPath: set the other to null, or choose another name',
    ],
  ],
  [
    'a second way to probe',
    '  spec: { containers: [{ name: vmcp, livenessProbe: { exec: { command: [ls] } } }] }\n',
    ['LNT1055 exec:: a livenessProbe asks in one way, not by exec and httpGet: set the other to null'],
  ],
  [
    'settings that contradict the generated container',
    '  spec: { containers: [{ name: vmcp, securityContext: { privileged: true } }] }\n',
    [
      'LNT1055 true: privileged: true cannot be with allowPrivilegeEscalation: false; set allowPrivilegeEscalation to null as well',
    ],
  ],
  [
    'a missing field of an added item',
    '  spec: { containers: [{ name: vmcp, volumeMounts: [{ mountPath: /x }] }] }\n',
    ['LNT1055 {: missing required field "name", a string'],
  ],
  [
    'a port name of the generated container',
    '  spec: { containers: [{ name: vmcp, ports: [{ containerPort: 9000, name: http }] }] }\n',
    ['LNT1055 http: two ports of container "vmcp" are named "http"'],
  ],
  [
    'faults of the template alone',
    '  spec: { tolerations: [{ key: a b, operator: Exists }], volumes: [{ name: c, configMap: { name: d, items: [{ key: k }] } }] }\n',
    [
      'LNT1055 a: the name "a b" is not a name that Kubernetes accepts: it must have only letters, digits, "-", "_" and ".", begin and end with a letter or digit, and have at most 63 characters',
      'LNT1046 {: missing required field "path", a string',
    ],
  ],
  [
    'settings that a Deployment does not allow',
    '  metadata: { labels: { a: "b c" } }\n  spec: { restartPolicy: OnFailure, activeDeadlineSeconds: 5 }\n',
    [
      'LNT1055 "b: the value of a label must be empty, or have only letters, digits, "-", "_" and ".", begin and end with a letter or digit, and have at most 63 characters',
      'LNT1055 OnFailure: pods of a Deployment are always restarted: restartPolicy is Always, not OnFailure',
      'LNT1055 activeDeadlineSeconds:: pods of a Deployment have no deadline',
    ],
  ],
  [
    'a spec that replaces the generated spec',
    '  spec: { $patch: replace }\n',
    [
      'LNT1055 spec:: missing required field "containers", a list',
      'LNT1055 spec:: the pod has no container "vmcp", which is the server itself',
    ],
  ],
])('the rule refusedPods gives the expected findings for: %s', (_, template, expected) => {
  expect(gateway(template)).toEqual(expected);
});

test('LNT1055 also reports mistakes in the volumes and mounts of a registry server, which the API server would refuse', () => {
  const spec = `volumes: [{ name: a, emptyDir: { sizeLimt: 1Gi } }, { name: A, emptyDir: {} }]
volumeMounts: [{ name: a, mountPath: /a }, { name: b, mountPath: /b }]
podTemplateSpec: { spec: { containers: [{ name: registry-api, env: [{ name: "X=Y" }] }] } }
`;
  expect(found(registryText(spec))).toEqual([
    'LNT1046 sizeLimt:: unknown field "sizeLimt"; allowed here: medium, sizeLimit; did you mean "sizeLimit"?',
    'LNT1055 A: "A" is not a valid name of a volume: lower-case letters, digits and "-", at most 63, a letter or digit at both ends',
    'LNT1055 b: the pod has no volume "b"; add it to spec.volumes of the pod template',
    'LNT1055 "X=Y": "X=Y" is not a valid name of a variable: printable ASCII characters but "="',
  ]);
});

test('LNT1055 does not report a mount of a volume that another operator may add to the pod', () => {
  const server = (template: string) => `${GROUP}---\n${ENTRY}---
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: git, namespace: mcp }
spec: { image: x, transport: stdio, groupRef: { name: tools }, podTemplateSpec: ${template} }
`;
  const mount = 'volumeMounts: [{ name: made-there, mountPath: /a }]';
  expect(found(server(`{ spec: { containers: [{ name: mcp, ${mount} }] } }`))).toEqual([]);
  expect(found(server('{ spec: { containers: [{ name: mcp, ports: [{ containerPort: 0 }] }] } }'))).toEqual([
    'LNT1055 0: 0 is no port: a port is a number from 1 to 65535',
  ]);
});
