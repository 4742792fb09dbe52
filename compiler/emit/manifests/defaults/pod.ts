/**
 * The defaults of a pod template's pod, for whatever a `podTemplateSpec` may have brought.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
import { isFields } from '../manifest.ts';
import { changed, each, fill, filled, steps } from './fill.ts';
import { volumeDefaults } from './volume.ts';

const httpGet = filled({ path: '/', scheme: 'HTTP' });

const probe = steps(
  filled({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  changed({ httpGet, grpc: filled({ service: '' }) }),
);

const hook = changed({ httpGet });

const environment = each(changed({ valueFrom: changed({ fieldRef: filled({ apiVersion: 'v1' }) }) }));

const container = steps(
  value =>
    fill(value, {
      imagePullPolicy: pullPolicy(isFields(value) ? value.image : undefined),
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    }),
  changed({
    env: environment,
    lifecycle: changed({ postStart: hook, preStop: hook }),
    livenessProbe: probe,
    ports: each(filled({ protocol: 'TCP' })),
    readinessProbe: probe,
    startupProbe: probe,
  }),
);

/** Of containers that a template adds without one: an image whose tag may move is asked for each time. */
function pullPolicy(image: unknown): 'Always' | 'IfNotPresent' {
  if (typeof image !== 'string') return 'IfNotPresent';
  const [name = '', digest] = image.split('@', 2);
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return digest === undefined && (tag === undefined || tag === 'latest') ? 'Always' : 'IfNotPresent';
}

/** On the network of the node, a port is a port of the node. */
function hostPorts(pod: unknown): unknown {
  if (!isFields(pod) || pod.hostNetwork !== true) return pod;
  const port = (value: unknown) => (isFields(value) ? fill(value, { hostPort: value.containerPort }) : value);
  const containers = each(changed({ ports: each(port) }));
  return changed({ containers, initContainers: containers })(pod);
}

export const podDefaults: (pod: unknown) => unknown = steps(
  filled({
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  }),
  // The older name of the field, which the API server keeps equal.
  pod => (isFields(pod) ? { ...pod, serviceAccount: pod.serviceAccountName } : pod),
  changed({ containers: each(container), initContainers: each(container), volumes: each(volumeDefaults) }),
  hostPorts,
);
