/** The Deployment of a gateway or registry server. */
import { DIGEST_ANNOTATION, INTERNAL_PORT, MOUNT_ROOT, toDigestDirectory, toDnsLabel } from '#schemas';
import { BRIDGE_FOLDER, CARRIED_FOLDER, CARRIER_CONTAINER } from '../../analysis/pods/carried-bridge.ts';
import { CA_BUNDLE_KEY } from '../../resolve/mounted-secret.ts';
import type { BundleVolume } from './bundle-config-maps.ts';
import { buildMetadata, type Manifest, type ManifestFields } from './manifest.ts';
import { listPodPullSecrets } from './pull-secrets.ts';
import type { Images } from './settings.ts';
import { mergePodTemplate } from './strategic-merge/merge.ts';
import type { DeployedWorkload } from './workload.ts';

const USER = 1000;

/** How long a terminating pod still accepts connections, in seconds: until every node has removed it from the endpoints. */
const LEAVE_SECONDS = 5;

/** Spreads replicas, so that a failure affects as few as possible. If that is impossible, pods are scheduled anyway. */
const SPREAD_OVER = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'];

/** Lifetime of the service account token in seconds: slightly more than an hour, as in the tokens that Kubernetes mounts by default. */
const TOKEN_SECONDS = 3607;

/** @param digest `sha256:…` of the bundle */
export function buildDeployment(
  workload: DeployedWorkload,
  images: Images,
  digest: string,
  bundle: BundleVolume,
): Manifest {
  const { objects, namespace, selector, replicas, front } = workload;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: objects.deployment,
      namespace,
      ...buildMetadata(selector, front?.deployment, { [DIGEST_ANNOTATION]: digest }),
    },
    spec: {
      // Without a number an autoscaler owns the field, and applying the manifest must not reset it.
      ...(replicas === null ? {} : { replicas }),
      selector: { matchLabels: selector },
      template: buildPodTemplate(workload, images, digest, bundle),
    },
  };
}

/** Merged with `podTemplateSpec`, without the API server's defaults. */
export function buildPodTemplate(
  workload: DeployedWorkload,
  images: Images,
  digest: string,
  bundle: BundleVolume,
): ManifestFields {
  const { container, selector, volumes, volumeMounts, front, podTemplateSpec } = workload;
  const bundleMounts = { spec: { volumes, containers: [{ name: container, volumeMounts }] } };
  const merged = [bundleMounts, front?.podTemplate ?? {}, podTemplateSpec ?? {}].reduce<ManifestFields>(
    mergePodTemplate,
    generatePodTemplate(workload, images, digest, bundle),
  );
  // Labels by which the Deployment and the controller select pods cannot be changed by templates.
  const metadata = merged.metadata as
    | { readonly labels?: ManifestFields; readonly annotations?: ManifestFields }
    | undefined;
  return {
    ...merged,
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, ...selector },
      annotations: { ...metadata?.annotations, [DIGEST_ANNOTATION]: digest },
    },
  };
}

function generatePodTemplate(
  workload: DeployedWorkload,
  images: Images,
  digest: string,
  bundle: BundleVolume,
): ManifestFields {
  const { container, port, readinessPath, serviceAccount, objects, args, isScaledOut, metricsPort, hasBridge } =
    workload;
  const imagePullSecrets = listPodPullSecrets(workload);
  const folder = `${MOUNT_ROOT}/bundle/${toDigestDirectory(digest)}`;
  const mounts = [
    { volume: { name: 'lintel-bundle', projected: { sources: bundle.sources } }, path: folder, isReadOnly: true },
    { volume: { name: 'lintel-tmp', emptyDir: {} }, path: '/tmp', isReadOnly: false },
    ...listMounts(workload),
  ];
  const volumes = new Map(mounts.map(({ volume }) => [volume.name, volume]));
  return {
    metadata: {},
    spec: {
      serviceAccountName: serviceAccount ?? objects.serviceAccount,
      // A required token is mounted explicitly, without the rest of the service account.
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 30,
      ...(isScaledOut ? { topologySpreadConstraints: buildTopologySpread(workload) } : {}),
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...(hasBridge ? { initContainers: [buildBridgeCarrier(images.bridgeImage)] } : {}),
      containers: [
        {
          name: container,
          image: images.image,
          imagePullPolicy: 'IfNotPresent',
          args: [
            ...['--bundle', folder, '--host', '0.0.0.0', '--port', String(port)],
            ...['--internal-address', `0.0.0.0:${INTERNAL_PORT}`, ...args],
          ],
          ports: [
            { name: 'http', containerPort: port },
            { name: 'internal', containerPort: INTERNAL_PORT },
            ...(metricsPort === null ? [] : [{ name: 'metrics', containerPort: metricsPort }]),
          ],
          livenessProbe: probe('/health', { initialDelaySeconds: 30, periodSeconds: 10, timeoutSeconds: 5 }),
          readinessProbe: probe(readinessPath, { initialDelaySeconds: 15, periodSeconds: 5, timeoutSeconds: 3 }),
          ...(isScaledOut ? { lifecycle: { preStop: { sleep: { seconds: LEAVE_SECONDS } } } } : {}),
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '512Mi' } },
          securityContext: RESTRICTED,
          // The runtime's last log line is the reason why it refuses a bundle.
          terminationMessagePolicy: 'FallbackToLogsOnError',
          volumeMounts: mounts.map(({ volume, path, isReadOnly }) => ({
            name: volume.name,
            mountPath: path,
            ...(isReadOnly ? { readOnly: true } : {}),
          })),
        },
      ],
      volumes: [...volumes.values()],
    },
  };
}

/** The security context of the Pod Security Standard `restricted`, with a read-only root file system. */
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
};

/** Copies the bridge into a volume, from which the container with the server's image starts the bridge. */
function buildBridgeCarrier(image: string): ManifestFields {
  return {
    name: CARRIER_CONTAINER,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['cp', '-R', `${CARRIED_FOLDER}/.`, BRIDGE_FOLDER],
    resources: { requests: { cpu: '50m', memory: '32Mi' }, limits: { cpu: '500m', memory: '128Mi' } },
    securityContext: RESTRICTED,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ name: 'lintel-bridge', mountPath: BRIDGE_FOLDER }],
  };
}

function buildTopologySpread({ selector }: DeployedWorkload): readonly ManifestFields[] {
  return SPREAD_OVER.map(topologyKey => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: selector },
  }));
}

function probe(path: string, timing: ManifestFields): ManifestFields {
  return { httpGet: { path, port: INTERNAL_PORT }, ...timing, failureThreshold: 3 };
}

interface Mount {
  readonly volume: { readonly name: string; readonly [field: string]: unknown };
  readonly path: string;
  readonly isReadOnly: boolean;
}

/** Mounts of Secrets, certificate authorities, the API server's token, and writable folders. */
function listMounts({ files, stateFolder, auditFolder }: DeployedWorkload): Mount[] {
  const secrets = [...files.secrets].map(([secretName, keys]): Mount => {
    const items = keys.map(key => ({ key, path: key }));
    return {
      volume: { name: toDnsLabel(`lintel-secret-${secretName}`), secret: { secretName, items } },
      path: `${MOUNT_ROOT}/secrets/${secretName}`,
      isReadOnly: true,
    };
  });
  const authorities = files.caBundles.map(
    (name): Mount => ({
      volume: {
        name: toDnsLabel(`lintel-ca-${name}`),
        configMap: { name, items: [{ key: CA_BUNDLE_KEY, path: CA_BUNDLE_KEY }] },
      },
      path: `${MOUNT_ROOT}/ca-bundles/${name}`,
      isReadOnly: true,
    }),
  );
  const accounts = files.serviceAccountFolders.map(
    (path): Mount => ({ volume: SERVICE_ACCOUNT, path, isReadOnly: true }),
  );
  const state: Mount[] =
    stateFolder === null
      ? []
      : [{ volume: { name: 'lintel-state', emptyDir: {} }, path: stateFolder, isReadOnly: false }];
  const audit: Mount[] =
    auditFolder === null
      ? []
      : [{ volume: { name: 'lintel-audit', emptyDir: {} }, path: auditFolder, isReadOnly: false }];
  return [...secrets, ...authorities, ...accounts, ...state, ...audit];
}

/** The files that Kubernetes mounts by default for a service account. */
const SERVICE_ACCOUNT: Mount['volume'] = {
  name: 'lintel-service-account',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ],
  },
};
