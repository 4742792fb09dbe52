import { getMember, isObject } from '#schemas';
import { findLabelKeyProblem } from '../../../source/name-syntax.ts';
import { parseQuantity } from '../../../text/quantity.ts';
import {
  type Container,
  getMapping,
  getPodSpec,
  getText,
  listContainers,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';

const STANDARD = ['cpu', 'memory', 'ephemeral-storage'];
const ONE = 10n ** 9n;

/** Resources that can be set for the whole pod. */
const OF_POD = ['cpu', 'memory'];

/** Checks that resource quantities are valid, and that requests do not exceed limits. */
export function checkPodResources(pod: Pod): Refusal[] {
  const spec = getPodSpec(pod);
  const whole = getMapping(spec, 'resources');
  return [
    ...listContainers(pod).flatMap(container => [
      ...checkContainerResources(container),
      ...resizeRefusals(container),
      ...claimRefusals(container, spec),
    ]),
    ...(whole === undefined
      ? []
      : [
          ...checkAmounts(whole, name => OF_POD.includes(name) || isHugePages(name)),
          ...checkPodLevelResources(whole, pod),
        ]),
  ];
}

function checkContainerResources(container: Container): Refusal[] {
  const resources = getMapping(container, 'resources');
  return resources === undefined ? [] : checkAmounts(resources, isOfContainer);
}

function checkAmounts(resources: PodMapping, isKnown: (name: string) => boolean): Refusal[] {
  const limits = readAmounts(resources, 'limits');
  const requests = readAmounts(resources, 'requests');
  return [
    ...[...limits, ...requests].flatMap(amount => checkAmount(amount, isKnown)),
    ...requests.flatMap(request =>
      requestRefusal(
        request,
        limits.find(({ name }) => name === request.name),
        resources,
      ),
    ),
  ];
}

interface Amount {
  readonly name: string;
  readonly value: bigint;
  readonly authored: unknown;
  readonly path: readonly (string | number)[];
}

function readAmounts(resources: PodMapping, list: 'limits' | 'requests'): Amount[] {
  const amounts = getMember(resources.value, list);
  if (!isObject(amounts)) return [];
  return Object.entries(amounts).flatMap(([name, authored]) => {
    const value = parseQuantity(authored);
    return value === undefined ? [] : [{ name, value, authored, path: [...resources.path, list, name] }];
  });
}

function checkAmount({ name, value, authored, path }: Amount, isKnown: (name: string) => boolean): Refusal[] {
  if (!isKnown(name)) {
    const message = `${JSON.stringify(name)} is no resource: cpu, memory, or the name of one with its domain, such as example.com/gpu`;
    return [{ places: [path], at: 'key', message }];
  }
  if (value < 0n) return [{ places: [path], message: `an amount is not negative, this is ${authored}` }];
  if (isExtended(name) && value % ONE !== 0n)
    return [{ places: [path], message: `${name} comes in whole numbers, this is ${authored}` }];
  return [];
}

function requestRefusal(request: Amount, limit: Amount | undefined, { path }: PodMapping): Refusal[] {
  const { name } = request;
  const isExact = isExtended(name) || isHugePages(name);
  if (limit === undefined) {
    return isExact ? [{ places: [request.path], message: `a request of ${name} needs an equal limit` }] : [];
  }
  const places = [request.path, limit.path, path];
  const both = `the request of ${name} (${request.authored})`;
  if (isExact && request.value !== limit.value)
    return [{ places, message: `${both} must be equal to its limit (${limit.authored})` }];
  return request.value > limit.value ? [{ places, message: `${both} is more than its limit (${limit.authored})` }] : [];
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Whether a resource has a domain other than Kubernetes' own. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

function isOfContainer(name: string): boolean {
  if (findLabelKeyProblem(name) !== undefined) return false;
  if (!name.includes('/')) return STANDARD.includes(name) || isHugePages(name);
  return name.includes('kubernetes.io/') || (isExtended(name) && findLabelKeyProblem(`requests.${name}`) === undefined);
}

/** Checks that the containers do not exceed what the pod as a whole requests or may use. */
function checkPodLevelResources(whole: PodMapping, pod: Pod): Refusal[] {
  const limits = readAmounts(whole, 'limits');
  const requests = readAmounts(whole, 'requests');
  const containers = listContainers(pod).filter(({ isInit }) => !isInit);
  const of = (container: Container, list: 'limits' | 'requests') => {
    const resources = getMapping(container, 'resources');
    return resources === undefined ? [] : readAmounts(resources, list);
  };
  const requested = (name: string) =>
    containers
      .flatMap(container => of(container, 'requests'))
      .reduce((sum, entry) => (entry.name === name ? sum + entry.value : sum), 0n);
  return [
    ...limits.flatMap(limit =>
      containers
        .flatMap(container => of(container, 'limits'))
        .filter(entry => entry.name === limit.name && entry.value > limit.value)
        .map(entry => ({
          places: [limit.path, entry.path],
          message: `a container may take more ${limit.name} (${entry.authored}) than the pod (${limit.authored})`,
        })),
    ),
    ...requests
      .filter(({ name, value }) => requested(name) > value)
      .map(({ name, path }) => ({
        places: [path],
        message: `the containers of the pod request more ${name} than the pod does`,
      })),
  ];
}

function resizeRefusals(container: Container): Refusal[] {
  const policies = listMappings(container, 'resizePolicy');
  return policies.flatMap((policy, index) => {
    const resource = getText(policy, 'resourceName');
    const restart = getText(policy, 'restartPolicy');
    const isRepeated = policies.slice(0, index).some(other => getText(other, 'resourceName') === resource);
    return [
      ...(resource === 'cpu' || resource === 'memory'
        ? []
        : [refuse(policy, 'resourceName', 'resourceName is cpu or memory')]),
      ...(restart === 'NotRequired' || restart === 'RestartContainer'
        ? []
        : [refuse(policy, 'restartPolicy', 'restartPolicy is NotRequired or RestartContainer')]),
      ...(isRepeated ? [refuse(policy, 'resourceName', `two policies are about ${resource}`)] : []),
    ];
  });
}

function claimRefusals(container: Container, spec: PodMapping): Refusal[] {
  const resources = getMapping(container, 'resources');
  const known = listMappings(spec, 'resourceClaims').map(claim => getText(claim, 'name'));
  return (resources === undefined ? [] : listMappings(resources, 'claims')).flatMap(claim => {
    const name = getText(claim, 'name');
    return name === undefined || known.includes(name)
      ? []
      : [refuse(claim, 'name', `the pod has no resourceClaim ${JSON.stringify(name)}`)];
  });
}
