/** References to fields and resources of the pod itself, in variables and in files. */
import { getMember } from '#schemas';
import { findAnnotationKeyProblem, findLabelKeyProblem } from '../../../source/name-syntax.ts';
import { parseQuantity } from '../../../text/quantity.ts';
import { getMapping, getText, type PodMapping, type Refusal, refuse } from './pod.ts';

const FIELDS = {
  environment: [
    ...['metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName'],
    ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
  ],
  volume: ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'],
};

const AMOUNT = /^(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-.*)$/;

/** Divisors that Kubernetes accepts: `1m` for CPUs, `1Mi` for bytes. */
const CPU_DIVISORS = ['1m', '1'];
const BYTE_DIVISORS = ['1', ...[...'kMGTPE'].map(unit => `1${unit}`), ...[...'KMGTPE'].map(unit => `1${unit}i`)];

/** Errors of the API server about `fieldRef` and `resourceFieldRef`. */
export function checkField(source: PodMapping, where: keyof typeof FIELDS): Refusal[] {
  const field = getMapping(source, 'fieldRef');
  const amount = getMapping(source, 'resourceFieldRef');
  return [
    ...(field === undefined ? [] : checkFieldReference(field, where)),
    ...(amount === undefined ? [] : checkAmountReference(amount, where)),
  ];
}

function checkFieldReference(ref: PodMapping, where: keyof typeof FIELDS): Refusal[] {
  const version = getText(ref, 'apiVersion') ?? 'v1';
  if (version !== 'v1') return [refuse(ref, 'apiVersion', 'the version of the fields of a pod is v1')];
  const path = getText(ref, 'fieldPath');
  if (path === undefined) return [];
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/s.exec(path) ?? [];
  if (key !== undefined) {
    const problem = map === 'labels' ? findLabelKeyProblem(key) : findAnnotationKeyProblem(key.toLowerCase());
    return problem === undefined ? [] : [refuse(ref, 'fieldPath', `the name ${JSON.stringify(key)} ${problem}`)];
  }
  if (FIELDS[where].includes(path)) return [];
  const allowed = `${FIELDS[where].join(', ')}, metadata.labels['…'] or metadata.annotations['…']`;
  return [refuse(ref, 'fieldPath', `${JSON.stringify(path)} cannot be read here; it is one of ${allowed}`)];
}

function checkAmountReference(ref: PodMapping, where: keyof typeof FIELDS): Refusal[] {
  const resource = getText(ref, 'resource');
  const noContainer = where === 'volume' && getText(ref, 'containerName') === undefined;
  const message = 'resource is one of limits and requests with cpu, memory or ephemeral-storage, such as limits.memory';
  return [
    ...(noContainer
      ? [
          {
            places: [ref.path],
            message:
              'resourceFieldRef in a volume needs containerName: the container whose request or limit the file shows',
          },
        ]
      : []),
    ...(resource === undefined || AMOUNT.test(resource) ? [] : [refuse(ref, 'resource', message)]),
    ...checkDivisor(ref, resource ?? ''),
  ];
}

function checkDivisor(ref: PodMapping, resource: string): Refusal[] {
  const divisor = parseQuantity(getMember(ref.value, 'divisor'));
  if (divisor === undefined || divisor === 0n || !AMOUNT.test(resource)) return [];
  const allowed = resource.endsWith('.cpu') ? CPU_DIVISORS : BYTE_DIVISORS;
  if (allowed.some(value => parseQuantity(value) === divisor)) return [];
  return [refuse(ref, 'divisor', `the divisor of ${resource} is one of ${allowed.join(', ')}`)];
}
