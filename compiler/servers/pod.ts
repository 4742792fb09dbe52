/** Adds the container of an MCPServer to the pod of its gateway; both communicate over loopback. */
import {
  BRIDGE_HEALTH_PORT,
  type FrontDeploymentPlan,
  type MCPServerSpec,
  PROXY_PORT,
  SERVER_PORT,
  type StdioPlan,
} from '#schemas';
import { BRIDGE_COMMAND, BRIDGE_FOLDER, listBridgeArguments } from '../analysis/pods/carried-bridge.ts';
import { MAIN_CONTAINER, PROXY_CONTAINER } from '../analysis/pods/main-container.ts';
import type { Tracked } from '../resolve/tracked.ts';

/** Maximum disk space of the bridge and its Node. */
const BRIDGE_SIZE = '512Mi';

type PodFields = { readonly [field: string]: unknown };

/** Starting and loading may take two minutes; only later does a missing listener mean that the server hangs. */
const START = { periodSeconds: 2, failureThreshold: 60 };

/** Where programs look for their pod's service account. */
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Lifetime of the service account token in seconds: slightly more than an hour, as in the tokens that Kubernetes mounts by default. */
const TOKEN_SECONDS = 3607;

const ACCOUNT_VOLUME = {
  name: 'server-service-account',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ],
  },
};

/** TCP port of the container. */
export function getServerPort(spec: MCPServerSpec): number {
  return spec.mcpPort ?? SERVER_PORT;
}

/**
 * The pod template that is merged into the gateway's, before `podTemplateSpec`.
 *
 * @param stdio settings of the bridge; undefined for a server that listens itself
 */
export function buildServerPodTemplate(
  spec: Tracked<MCPServerSpec>,
  namespace: string,
  name: string,
  stdio: StdioPlan | undefined,
): PodFields {
  const account = spec.peek('serviceAccount') ?? '';
  const volumes = spec.items('volumes').map(volume => ({
    volume: { name: volume.get('name'), hostPath: { path: volume.get('hostPath'), type: '' } },
    mount: {
      name: volume.peek('name'),
      mountPath: volume.get('mountPath'),
      ...(volume.get('readOnly') === true ? { readOnly: true } : {}),
    },
  }));
  // The spec's service account belongs to the server; the gateway in the same pod gets none.
  const mount = { name: ACCOUNT_VOLUME.name, mountPath: ACCOUNT_FOLDER, readOnly: true };
  const bridged = stdio === undefined ? undefined : buildBridgedPod(`${namespace}/${name}`, stdio);
  const mounts = [...(bridged?.mounts ?? []), ...volumes.map(({ mount }) => mount), ...(account === '' ? [] : [mount])];
  const all = [
    ...(bridged?.volumes ?? []),
    ...volumes.map(({ volume }) => volume),
    ...(account === '' ? [] : [ACCOUNT_VOLUME]),
  ];
  return {
    spec: {
      containers: [
        {
          name: MAIN_CONTAINER.MCPServer,
          image: spec.get('image'),
          ...(bridged?.container ?? toListField('args', spec.get('args'))),
          ...toListField('env', listEnvironment(spec)),
          ...(bridged === undefined ? buildHttpPod(spec) : {}),
          resources: lowerResources(spec),
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            ...(bridged === undefined ? {} : { readOnlyRootFilesystem: true }),
            runAsNonRoot: true,
          },
          terminationMessagePolicy: 'FallbackToLogsOnError',
          ...toListField('volumeMounts', mounts),
        },
      ],
      ...toListField('volumes', all),
    },
  };
}

/** With a bridge, the container runs the bridge, which starts the image's program. */
function buildBridgedPod(key: string, stdio: StdioPlan) {
  const [bridge, temporary] = ['lintel-bridge', 'server-tmp'];
  const probe = { httpGet: { path: '/health', port: BRIDGE_HEALTH_PORT } };
  return {
    container: {
      command: BRIDGE_COMMAND,
      args: listBridgeArguments(key, stdio),
      ports: [{ name: 'bridge-health', containerPort: BRIDGE_HEALTH_PORT }],
      startupProbe: { ...probe, ...START },
      livenessProbe: { ...probe, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
      readinessProbe: { ...probe, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 },
    },
    mounts: [
      { name: bridge, mountPath: BRIDGE_FOLDER, readOnly: true },
      { name: temporary, mountPath: '/tmp' },
    ],
    volumes: [
      { name: bridge, emptyDir: { sizeLimit: BRIDGE_SIZE } },
      { name: temporary, emptyDir: {} },
    ],
  };
}

/** Ports and probes of a container that listens. */
function buildHttpPod(spec: Tracked<MCPServerSpec>): PodFields {
  const port = spec.get('mcpPort') ?? SERVER_PORT;
  const listens = { tcpSocket: { port } };
  return {
    ports: [{ name: 'mcp', containerPort: port }],
    startupProbe: { ...listens, ...START },
    livenessProbe: { ...listens, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    readinessProbe: { ...listens, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 },
  };
}

/** In the order of the spec, so that later variables override earlier ones. */
function listEnvironment(spec: Tracked<MCPServerSpec>): readonly PodFields[] {
  const plain = spec.items('env').map(variable => ({ name: variable.get('name'), value: variable.get('value') }));
  const secret = spec.items('secrets').map(variable => {
    const [name, key] = [variable.get('name'), variable.get('key')];
    return { name: variable.get('targetEnvName') || key, valueFrom: { secretKeyRef: { name, key } } };
  });
  return [...new Map<string, PodFields>([...plain, ...secret].map(variable => [variable.name, variable])).values()];
}

/** Quantities without empty ones, which count as missing. */
export function lowerResources(spec: Tracked<Pick<MCPServerSpec, 'resources'>>): PodFields {
  const amounts = Object.entries(spec.get('resources') ?? {}).map(([list, of]) => [
    list,
    Object.fromEntries(Object.entries(of).filter(([, amount]) => amount !== '')),
  ]);
  return Object.fromEntries(amounts);
}

/** The settings of `resourceOverrides`, and the address for clients. */
export function lowerFrontDeployment(
  spec: Tracked<Pick<MCPServerSpec, 'proxyPort' | 'resourceOverrides'>>,
  podTemplate: PodFields,
  isOutgoingOpen: boolean,
): FrontDeploymentPlan {
  const overrides = spec.child('resourceOverrides');
  const deployment = overrides?.child('proxyDeployment');
  const service = overrides?.child('proxyService');
  deployment?.get('imagePullSecrets');
  const pods = deployment?.child('podTemplateMetadataOverrides');
  const variables = (deployment?.items('env') ?? []).map(entry => ({
    name: entry.get('name'),
    value: entry.get('value'),
  }));
  const metadata = {
    ...toMapField('labels', pods?.get('labels')),
    ...toMapField('annotations', pods?.get('annotations')),
  };
  return {
    servicePort: spec.get('proxyPort') ?? PROXY_PORT,
    podTemplate: {
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      spec: withVariables(podTemplate.spec as PodFields, variables),
    },
    isOutgoingOpen,
    deployment: { labels: deployment?.get('labels') ?? {}, annotations: deployment?.get('annotations') ?? {} },
    service: { labels: service?.get('labels') ?? {}, annotations: service?.get('annotations') ?? {} },
  };
}

/** `env` of the overrides applies to the gateway's container. */
function withVariables(pod: PodFields, env: readonly PodFields[]): PodFields {
  if (env.length === 0) return pod;
  const containers = pod.containers as readonly PodFields[];
  const others = containers.filter(({ name }) => name !== PROXY_CONTAINER);
  const own = containers.find(({ name }) => name === PROXY_CONTAINER) ?? { name: PROXY_CONTAINER };
  return { ...pod, containers: [{ ...own, env }, ...others] };
}

function toListField(field: string, list: readonly unknown[] | undefined): PodFields {
  return list === undefined || list.length === 0 ? {} : { [field]: list };
}

function toMapField(field: string, map: PodFields | undefined): PodFields {
  return map === undefined || Object.keys(map).length === 0 ? {} : { [field]: map };
}
