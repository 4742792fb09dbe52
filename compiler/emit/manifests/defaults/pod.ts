/**
 * The defaults of a pod template's pod, for anything that a `podTemplateSpec` may contain.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
import { isObject } from '#schemas';
import { changed, each, fill, filled, steps } from './fill.ts';
import { pullPolicy } from './pull-policy.ts';
import { references, resources } from './references.ts';
import { fillVolumeDefaults } from './volume.ts';

const httpGet = filled({ path: '/', scheme: 'HTTP' });

const probe = steps(
  filled({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  changed({ httpGet, grpc: filled({ service: '' }) }),
);

const hook = changed({ httpGet });

/** An empty value counts as missing. */
const environment = each(value => {
  const variable = changed({ valueFrom: references })(value);
  if (!isObject(variable) || variable.value !== '') return variable;
  const { value: _, ...without } = variable;
  return without;
});

const container = steps(
  value =>
    fill(value, {
      imagePullPolicy: pullPolicy(isObject(value) ? value.image : undefined),
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
    resources,
    startupProbe: probe,
  }),
);

/** With host networking, a port of a container is a port of the node. */
function fillHostPorts(pod: unknown): unknown {
  if (!isObject(pod) || pod.hostNetwork !== true) return pod;
  const port = (value: unknown) => (isObject(value) ? fill(value, { hostPort: value.containerPort }) : value);
  const containers = each(changed({ ports: each(port) }));
  return changed({ containers, initContainers: containers })(pod);
}

/** An empty list counts as missing. */
function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => !Array.isArray(member) || member.length > 0);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmptyLists(member)]));
}

export const podDefaults: (pod: unknown) => unknown = steps(
  withoutEmptyLists,
  filled({
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  }),
  // The older name of the field; the API server gives both fields the same value.
  pod =>
    isObject(pod) && pod.serviceAccountName !== undefined ? { ...pod, serviceAccount: pod.serviceAccountName } : pod,
  changed({ containers: each(container), initContainers: each(container), volumes: each(fillVolumeDefaults) }),
  fillHostPorts,
);
