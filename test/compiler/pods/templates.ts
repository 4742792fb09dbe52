/** Pod templates as users write them, valid and invalid. */
import { parse } from 'yaml';
import type { Template } from './rich-template.ts';

const container = (fields: string) => `{ spec: { containers: [{ name: vmcp, ${fields} }] } }`;
const pod = (fields: string) => `{ spec: { ${fields} } }`;
const volumes = (...list: readonly string[]) => pod(`volumes: [${list.join(', ')}]`);
const beside = (fields: string) => pod(`containers: [{ name: side, image: "busybox:1", ${fields} }]`);

const TEXTS: Readonly<Record<string, string>> = {
  // Accepted.
  nothing: '{}',
  'labels and annotations':
    '{ metadata: { labels: { a: b, example.com/c: "" }, annotations: { example.com/d: "e f" } } }',
  'resources of the gateway': container(
    'resources: { requests: { cpu: 200m, memory: 256Mi }, limits: { cpu: 1, memory: 1Gi } }',
  ),
  'amounts as numbers': container(
    'resources: { requests: { cpu: 0.25, memory: 134217728 }, limits: { cpu: 0.5, memory: 1e9 } }',
  ),
  'limits taken away': container('resources: { limits: null }'),
  'a secret as a variable': container('env: [{ name: TOKEN, valueFrom: { secretKeyRef: { name: s, key: k } } }]'),
  'a variable with a dot': container('env: [{ name: my.variable, value: x }]'),
  'a mounted secret': pod(
    'volumes: [{ name: s, secret: { secretName: s } }], containers: [{ name: vmcp, volumeMounts: [{ name: s, mountPath: /s }] }]',
  ),
  'a volume that is mounted by the gateway already': container(
    'volumeMounts: [{ name: lintel-tmp, mountPath: /var/tmp }]',
  ),
  'another kind of a generated volume': volumes(
    '{ name: lintel-tmp, emptyDir: null, hostPath: { path: /tmp/lintel } }',
  ),
  'a sidecar with a port': beside('ports: [{ name: metrics, containerPort: 9100 }]'),
  'a native sidecar': pod(
    'initContainers: [{ name: proxy, image: "envoy:1", restartPolicy: Always, readinessProbe: { tcpSocket: { port: 1 } } }]',
  ),
  'an init container': pod('initContainers: [{ name: prepare, image: "busybox:1" }]'),
  'a user that the platform chooses': pod('securityContext: { runAsUser: null, runAsGroup: null }'),
  'a privileged gateway': container('securityContext: { privileged: true, allowPrivilegeEscalation: null }'),
  'a probe by command': container('livenessProbe: { httpGet: null, exec: { command: [ls] } }'),
  'a slow probe': container('readinessProbe: { periodSeconds: 60, timeoutSeconds: 30 }'),
  'a gpu': container('resources: { limits: { nvidia.com/gpu: 1 } }'),
  'huge pages': container('resources: { limits: { hugepages-2Mi: 4Mi }, requests: { hugepages-2Mi: 4Mi } }'),
  'spread over zones': pod(
    'topologySpreadConstraints: [{ maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: { matchLabels: { a: b } } }]',
  ),
  'one pod a node': pod(
    'affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: kubernetes.io/hostname }] } }',
  ),
  'a toleration of everything': pod('tolerations: [{ operator: Exists }]'),
  'the network of the node': pod('hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet'),
  'restartPolicy: Always': pod('restartPolicy: Always'),
  'resources of the pod': pod('resources: { limits: { cpu: 2, memory: 2Gi } }'),
  'a hook before the end': container('lifecycle: { preStop: { exec: { command: [sleep, "5"] } } }'),
  'empty text for what has a default': pod(
    'restartPolicy: "", dnsPolicy: "", containers: [{ name: vmcp, imagePullPolicy: "", terminationMessagePolicy: "" }]',
  ),
  'volumes of every other kind': volumes(
    '{ name: a, awsElasticBlockStore: { volumeID: v } }',
    '{ name: b, azureDisk: { diskName: d, diskURI: "https://d/blob" } }',
    '{ name: c, azureFile: { secretName: s, shareName: h } }',
    '{ name: d, cephfs: { monitors: [m] } }',
    '{ name: e, cinder: { volumeID: v } }',
    '{ name: f, fc: { targetWWNs: [w], lun: 1 } }',
    '{ name: g, flexVolume: { driver: example.com/d } }',
    '{ name: h, flocker: { datasetName: d } }',
    '{ name: i, gcePersistentDisk: { pdName: p } }',
    '{ name: j, glusterfs: { endpoints: e, path: p } }',
    '{ name: k, iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2001-04.com.example:storage.disk1", lun: 0 } }',
    '{ name: l, portworxVolume: { volumeID: v } }',
    '{ name: m, quobyte: { registry: "r:1", volume: v } }',
    '{ name: n, rbd: { monitors: [m], image: i } }',
    '{ name: o, vsphereVolume: { volumePath: v } }',
    '{ name: p, scaleIO: { gateway: g, system: s, secretRef: { name: s }, volumeName: v } }',
  ),
  'rules for restarts': beside(
    'restartPolicy: Never, restartPolicyRules: [{ action: Restart, exitCodes: { operator: In, values: [42] } }]',
  ),
  'a claim of a device': pod(
    'resourceClaims: [{ name: gpu, resourceClaimTemplateName: gpu }], containers: [{ name: vmcp, resources: { claims: [{ name: gpu }] } }]',
  ),
  'an owner without a name': '{ metadata: { ownerReferences: [{ uid: u }] } }',
  'a number of digits for a node selector': pod('nodeSelector: { cores: "4" }'),
  'an empty toleration of a key': pod('tolerations: [{ key: a }]'),
  'an empty list of arguments': container('args: []'),
  'no probe at all': container('livenessProbe: null, readinessProbe: null'),
  // Refused: wrong types and unknown words.
  'an unknown field of a container': container('volumeMount: [{ name: a, mountPath: /a }]'),
  'an unknown field far down': pod(
    'volumes: [{ name: v, configMap: { name: c, items: [{ key: a, path: b, moda: 1 }] } }]',
  ),
  'a field of the wrong level': pod('livenessProbe: { exec: { command: [ls] } }'),
  'a number for a label': '{ metadata: { labels: { version: 1 } } }',
  'a number for a variable': container('env: [{ name: PORT, value: 8080 }]'),
  'text for a number': pod('terminationGracePeriodSeconds: "60"'),
  'text for true': pod('hostNetwork: "true"'),
  'a mapping for a list': container('env: { A: b }'),
  'a list for a mapping': pod('securityContext: [a]'),
  'a fraction of seconds': pod('terminationGracePeriodSeconds: 1.5'),
  'a unit that there is not': container('resources: { limits: { memory: 1GB } }'),
  'a unit in small letters': container('resources: { limits: { memory: 512mi } }'),
  'a pull policy in small letters': container('imagePullPolicy: always'),
  'a protocol that there is not': beside('ports: [{ containerPort: 1, protocol: HTTP }]'),
  'an operator that there is not': pod('tolerations: [{ key: a, operator: Is }]'),
  // Refused: parts that contradict each other.
  'a mount without a volume': container('volumeMounts: [{ name: cache, mountPath: /cache }]'),
  'a mount of a sidecar without a volume': beside('volumeMounts: [{ name: cache, mountPath: /cache }]'),
  'a mount without a name': container('volumeMounts: [{ mountPath: /cache }]'),
  'a path of a mount that climbs': pod(
    'volumes: [{ name: v, emptyDir: {} }], containers: [{ name: vmcp, volumeMounts: [{ name: v, mountPath: /v, subPath: ../x }] }]',
  ),
  'a request above its limit': container('resources: { requests: { memory: 1Gi }, limits: { memory: 512Mi } }'),
  'a limit below the generated request': container('resources: { limits: { memory: 64Mi } }'),
  'a request above the generated limit': container('resources: { requests: { cpu: 2 } }'),
  'a negative amount': container('resources: { requests: { cpu: "-1" } }'),
  'a resource that there is not': container('resources: { limits: { gpu: 1 } }'),
  'a resource in capitals': container('resources: { limits: { CPU: 1 } }'),
  'half a gpu': container('resources: { limits: { nvidia.com/gpu: 500m } }'),
  'a request of a gpu without a limit': container('resources: { requests: { nvidia.com/gpu: 1 } }'),
  'a container above its pod': pod('resources: { limits: { memory: 256Mi } }'),
  'restartPolicy: Never': pod('restartPolicy: Never'),
  'restartPolicy: OnFailure': pod('restartPolicy: OnFailure'),
  'a deadline': pod('activeDeadlineSeconds: 60'),
  'an ephemeral container': pod('ephemeralContainers: [{ name: debug, image: "busybox:1" }]'),
  'no container of the gateway': '{ spec: { containers: [{ $patch: replace }] } }',
  'two kinds of a volume': volumes('{ name: v, emptyDir: {}, hostPath: { path: /v } }'),
  'a second kind of a generated volume': volumes('{ name: lintel-tmp, hostPath: { path: /tmp/lintel } }'),
  'a volume in capitals': volumes('{ name: Cache, emptyDir: {} }'),
  'a volume of a secret by name': volumes('{ name: s, secret: { name: s } }'),
  'a ConfigMap without a name': volumes('{ name: c, configMap: {} }'),
  'a mode in decimal': volumes('{ name: c, configMap: { name: c, defaultMode: 644 } }'),
  'a negative size': volumes('{ name: c, emptyDir: { sizeLimit: "-1Mi" } }'),
  'an absolute path in a volume': volumes('{ name: c, configMap: { name: c, items: [{ key: a, path: /a }] } }'),
  'a claim without a name': volumes('{ name: c, persistentVolumeClaim: {} }'),
  'two containers of one name': pod('initContainers: [{ name: vmcp, image: "busybox:1" }]'),
  'a container in capitals': pod('containers: [{ name: Side, image: "busybox:1" }]'),
  'a container without an image': pod('containers: [{ name: side }]'),
  'rules for restarts without a policy': beside(
    'restartPolicyRules: [{ action: Restart, exitCodes: { operator: In, values: [42] } }]',
  ),
  'a claim that the pod does not have': container('resources: { claims: [{ name: gpu }] }'),
  'a signal without a system': container('lifecycle: { stopSignal: SIGTERM }'),
  'pods for Windows': pod('os: { name: windows }'),
  'a volume of a disk without a disk': volumes('{ name: v, rbd: { image: i } }'),
  'a template of labels only in a claim': volumes(
    '{ name: v, ephemeral: { volumeClaimTemplate: { metadata: { name: x }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } } } }',
  ),
  'a claim without a size': volumes(
    '{ name: v, ephemeral: { volumeClaimTemplate: { spec: { accessModes: [ReadWriteOnce] } } } }',
  ),
  'a token of a minute': volumes(
    '{ name: v, projected: { sources: [{ serviceAccountToken: { path: t, expirationSeconds: 60 } }] } }',
  ),
  'two kinds of a source': volumes(
    '{ name: v, projected: { sources: [{ secret: { name: s }, configMap: { name: c } }] } }',
  ),
  'a file twice': volumes(
    '{ name: v, projected: { sources: [{ secret: { name: s, items: [{ key: a, path: p }] } }, { configMap: { name: c, items: [{ key: a, path: p }] } }] } }',
  ),
  'a sysctl with a space': pod('securityContext: { sysctls: [{ name: "a b", value: "1" }] }'),
  'a taint by comparison': pod('tolerations: [{ key: a, operator: Gt, value: "1" }]'),
  'keys of labels without a selector': pod(
    'affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: a, matchLabelKeys: [b] }] } }',
  ),
  'minDomains with ScheduleAnyway': pod(
    'topologySpreadConstraints: [{ maxSkew: 1, minDomains: 2, topologyKey: a, whenUnsatisfiable: ScheduleAnyway }]',
  ),
  'a second mount at a path': container(
    'volumeMounts: [{ name: lintel-tmp, mountPath: /tmp/x }, { name: lintel-tmp, mountPath: /tmp/y, subPath: /abs }]',
  ),
  'both ways to name a folder': container(
    'volumeMounts: [{ name: lintel-tmp, mountPath: /x, subPath: a, subPathExpr: b }]',
  ),
  'mounts passed on to the node': container(
    'volumeMounts: [{ name: lintel-tmp, mountPath: /x, mountPropagation: Bidirectional }]',
  ),
  'a device of a folder': container('volumeDevices: [{ name: lintel-tmp, devicePath: /dev/x }]'),
  'an administrator of the system': container('securityContext: { capabilities: { add: [CAP_SYS_ADMIN] } }'),
  'a process list without a namespace': container('securityContext: { procMount: Unmasked }'),
  'the processes of the node and of the pod': pod('hostPID: true, shareProcessNamespace: true'),
  'port 0': beside('ports: [{ containerPort: 0 }]'),
  'port 70000': beside('ports: [{ containerPort: 70000 }]'),
  'a port of the node of 70000': beside('ports: [{ containerPort: 1, hostPort: 70000 }]'),
  'a long name of a port': beside('ports: [{ name: prometheus-metrics, containerPort: 1 }]'),
  'a name of a port in capitals': beside('ports: [{ name: HTTP, containerPort: 1 }]'),
  'a name of a port of digits': beside('ports: [{ name: "80", containerPort: 1 }]'),
  'a name of a port twice': container('ports: [{ name: http, containerPort: 9000 }]'),
  'a port of the node twice': pod(
    'containers: [{ name: a, image: "x:1", ports: [{ containerPort: 1, hostPort: 80 }] }, { name: b, image: "x:1", ports: [{ containerPort: 2, hostPort: 80 }] }]',
  ),
  'another port on the network of the node': pod(
    'hostNetwork: true, containers: [{ name: vmcp, ports: [{ containerPort: 4483, hostPort: 80 }] }]',
  ),
  'a variable with "="': container('env: [{ name: "A=B", value: x }]'),
  'a variable without a name': container('env: [{ name: "", value: x }]'),
  'a variable with value and source': container(
    'env: [{ name: A, value: x, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]',
  ),
  'a variable with two sources': container(
    'env: [{ name: A, valueFrom: { fieldRef: { fieldPath: metadata.name }, secretKeyRef: { name: s, key: k } } }]',
  ),
  'a variable of no source': container('env: [{ name: A, valueFrom: {} }]'),
  'a variable of a field that there is not': container(
    'env: [{ name: A, valueFrom: { fieldRef: { fieldPath: metadata.labels } } }]',
  ),
  'a variable of a label': container(
    'env: [{ name: A, valueFrom: { fieldRef: { fieldPath: "metadata.labels[\'app\']" } } }]',
  ),
  'a reference without a name': container('env: [{ name: A, valueFrom: { secretKeyRef: { key: k } } }]'),
  'a reference without a key': container('env: [{ name: A, valueFrom: { secretKeyRef: { name: s } } }]'),
  'envFrom of nothing': container('envFrom: [{ prefix: A_ }]'),
  'a second way to probe': container('livenessProbe: { exec: { command: [ls] } }'),
  'a probe of nothing': beside('livenessProbe: { periodSeconds: 1 }'),
  'a command of nothing': beside('livenessProbe: { exec: {} }'),
  'a probe of port 0': beside('livenessProbe: { tcpSocket: { port: 0 } }'),
  'a probe of a port with a bad name': beside('livenessProbe: { tcpSocket: { port: Web_Port } }'),
  'a negative delay': container('livenessProbe: { initialDelaySeconds: -1 }'),
  'two successes of a liveness probe': container('livenessProbe: { successThreshold: 2 }'),
  'a hook that sleeps too long': container('lifecycle: { preStop: { sleep: { seconds: 31 } } }'),
  'a probe of an init container': pod(
    'initContainers: [{ name: i, image: "x:1", livenessProbe: { tcpSocket: { port: 1 } } }]',
  ),
  'privileged and no escalation': container('securityContext: { privileged: true }'),
  'a negative user': container('securityContext: { runAsUser: -1 }'),
  'a user of 33 bits': container('securityContext: { runAsUser: 4294967296 }'),
  'a group of 33 bits': pod('securityContext: { fsGroup: 4294967296 }'),
  'a profile of this node without a file': pod('securityContext: { seccompProfile: { type: Localhost } }'),
  'a file of a profile that needs none': pod('securityContext: { seccompProfile: { localhostProfile: a } }'),
  'a label with spaces': '{ metadata: { labels: { a: "b c" } } }',
  'a key of a label with spaces': '{ metadata: { labels: { "a b": c } } }',
  'a key of an annotation with two slashes': '{ metadata: { annotations: { a/b/c: d } } }',
  'a value of a node selector with spaces': pod('nodeSelector: { a: "b c" }'),
  'a toleration without key and operator': pod('tolerations: [{ effect: NoSchedule }]'),
  'seconds of a toleration without NoExecute': pod(
    'tolerations: [{ key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 5 }]',
  ),
  'an affinity without a topology': pod(
    'affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {} }] } }',
  ),
  'a weight of 0': pod(
    'affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: a } }] } }',
  ),
  'an affinity of no terms': pod(
    'affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } }',
  ),
  'In without values': pod(
    'affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: a, operator: In }] }] } } }',
  ),
  'a skew of 0': pod('topologySpreadConstraints: [{ maxSkew: 0, topologyKey: a, whenUnsatisfiable: ScheduleAnyway }]'),
  'dnsPolicy: None without servers': pod('dnsPolicy: None'),
  'four name servers': pod('dnsConfig: { nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4] }'),
  'a name server by name': pod('dnsConfig: { nameservers: [dns.example.com] }'),
  'a host alias without an address': pod('hostAliases: [{ ip: db, hostnames: [db] }]'),
  'a host name with a dot': pod('hostname: a.b'),
  'a service account in capitals': pod('serviceAccountName: Runner'),
  'host users and the network of the node': pod('hostUsers: false, hostNetwork: true'),
};

/** By what each one shows. */
export const TEMPLATES: ReadonlyMap<string, Template> = new Map(
  Object.entries(TEXTS).map(([title, text]) => [title, parse(text) as Template]),
);
