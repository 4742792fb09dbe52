/** A pod template with most of the fields that a pod can have, which the API server accepts. */
import { parse } from 'yaml';

const TEXT = `
metadata:
  labels: { team: tools, example.com/tier: gold }
  annotations: { example.com/note: any text }
spec:
  serviceAccountName: runner
  priorityClassName: high
  runtimeClassName: gvisor
  schedulerName: default-scheduler
  terminationGracePeriodSeconds: 60
  hostname: gateway
  subdomain: tools
  dnsPolicy: None
  dnsConfig: { nameservers: [10.0.0.10], searches: [svc.cluster.local], options: [{ name: ndots, value: "2" }] }
  hostAliases: [{ ip: 10.0.0.1, hostnames: [db.internal] }]
  imagePullSecrets: [{ name: registry }]
  nodeSelector: { disktype: ssd }
  tolerations:
    - { key: dedicated, operator: Equal, value: tools, effect: NoSchedule }
    - { key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 60 }
  readinessGates: [{ conditionType: example.com/ready }]
  schedulingGates: [{ name: example.com/wait }]
  topologySpreadConstraints:
    - { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 2, nodeTaintsPolicy: Honor, labelSelector: { matchLabels: { team: tools } } }
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: In, values: [a, b] }] }]
      preferredDuringSchedulingIgnoredDuringExecution:
        - { weight: 10, preference: { matchExpressions: [{ key: cores, operator: Gt, values: ["4"] }] } }
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - { topologyKey: kubernetes.io/hostname, labelSelector: { matchExpressions: [{ key: team, operator: Exists }] } }
      preferredDuringSchedulingIgnoredDuringExecution:
        - { weight: 100, podAffinityTerm: { topologyKey: zone, labelSelector: { matchLabels: { team: tools } } } }
  securityContext:
    fsGroup: 2000
    fsGroupChangePolicy: OnRootMismatch
    supplementalGroups: [3000]
    seccompProfile: { type: Localhost, localhostProfile: profiles/mcp.json }
    seLinuxOptions: { level: "s0:c1,c2" }
    sysctls: [{ name: net.core.somaxconn, value: "1024" }]
  volumes:
    - { name: cache, emptyDir: { medium: Memory, sizeLimit: 64Mi } }
    - { name: config, configMap: { name: settings, defaultMode: 0o440, optional: true, items: [{ key: a, path: b/c, mode: 0o400 }] } }
    - { name: keys, secret: { secretName: keys, items: [{ key: a, path: a }] } }
    - { name: data, persistentVolumeClaim: { claimName: data, readOnly: true } }
    - { name: host, hostPath: { path: /var/log, type: Directory } }
    - { name: share, nfs: { server: files, path: /export } }
    - { name: driver, csi: { driver: secrets.example.com, volumeAttributes: { a: b }, nodePublishSecretRef: { name: keys } } }
    - { name: model, image: { reference: "example.com/model:1", pullPolicy: Always } }
    - { name: about, downwardAPI: { items: [{ path: labels, fieldRef: { fieldPath: metadata.labels } }] } }
    - name: scratch
      ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: b } }, spec: { accessModes: [ReadWriteOnce], storageClassName: fast, resources: { requests: { storage: 1Gi } } } } }
    - name: joined
      projected:
        defaultMode: 0o400
        sources:
          - { secret: { name: keys, items: [{ key: a, path: secret/a }] } }
          - { configMap: { name: settings, items: [{ key: b, path: config/b }] } }
          - { downwardAPI: { items: [{ path: cpu, resourceFieldRef: { containerName: vmcp, resource: limits.cpu, divisor: 1m } }] } }
          - { serviceAccountToken: { audience: vault, expirationSeconds: 3600, path: token } }
  initContainers:
    - { name: prepare, image: "busybox:1", command: [sh, -c], args: ["true"], volumeMounts: [{ name: cache, mountPath: /cache }] }
    - { name: proxy, image: "envoy:1", restartPolicy: Always, startupProbe: { grpc: { port: 9000, service: health } } }
  containers:
    - name: vmcp
      imagePullPolicy: Always
      terminationMessagePath: /dev/log
      terminationMessagePolicy: File
      env:
        - { name: LOG_LEVEL, value: debug }
        - { name: POD_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
        - { name: CPUS, valueFrom: { resourceFieldRef: { resource: limits.cpu } } }
        - { name: TOKEN, valueFrom: { secretKeyRef: { name: keys, key: token, optional: true } } }
        - { name: SETTING, valueFrom: { configMapKeyRef: { name: settings, key: setting } } }
      envFrom: [{ prefix: APP_, configMapRef: { name: settings } }, { secretRef: { name: keys, optional: true } }]
      ports: [{ name: extra, containerPort: 9090, hostPort: 9090, hostIP: 127.0.0.1, protocol: TCP }]
      resources: { requests: { cpu: 250m, memory: 256Mi, example.com/gpu: 1 }, limits: { cpu: 1, memory: 1Gi, example.com/gpu: "1" } }
      resizePolicy: [{ resourceName: cpu, restartPolicy: NotRequired }]
      livenessProbe: { httpGet: { path: /health, port: internal, scheme: HTTP, httpHeaders: [{ name: X-Probe, value: a }] }, periodSeconds: 20, timeoutSeconds: 2, failureThreshold: 5, terminationGracePeriodSeconds: 10 }
      readinessProbe: { initialDelaySeconds: 1, successThreshold: 2 }
      startupProbe: { tcpSocket: { port: 4483 }, failureThreshold: 30 }
      lifecycle: { preStop: { sleep: { seconds: 5 } }, postStart: { exec: { command: ["true"] } } }
      securityContext: { runAsUser: 1001, runAsGroup: 1001, capabilities: { add: [NET_BIND_SERVICE], drop: [ALL] }, seccompProfile: { type: RuntimeDefault }, appArmorProfile: { type: Localhost, localhostProfile: mcp }, procMount: Default }
      volumeMounts:
        - { name: cache, mountPath: /cache, subPath: gateway, mountPropagation: None }
        - { name: config, mountPath: /etc/config, readOnly: true, recursiveReadOnly: IfPossible }
        - { name: joined, mountPath: /joined }
    - name: sidecar
      image: example.com/sidecar@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
      stdin: true
      tty: false
      workingDir: /tmp
      volumeDevices: [{ name: data, devicePath: /dev/xvda }]
`;

export type Template = Readonly<Record<string, unknown>>;

const parsed = parse(TEXT) as Template;

/** A copy, so that callers may change it. */
export function richTemplate(): Template {
  return structuredClone(parsed);
}
