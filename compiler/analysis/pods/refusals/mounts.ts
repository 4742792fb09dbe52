import { getMember } from '#schemas';
import { findInnerPathProblem } from './paths.ts';
import {
  type Container,
  getMapping,
  getPodSpec,
  getText,
  has,
  listContainers,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';

/** Checks that every mount refers to a volume of the pod, and that mount paths are unique. */
export function checkPodMounts(pod: Pod): Refusal[] {
  const volumes = new Map(listMappings(getPodSpec(pod), 'volumes').map(volume => [getText(volume, 'name'), volume]));
  return listContainers(pod).flatMap(container => {
    const lists = ['volumeMounts', 'volumeDevices'].flatMap(list => listMappings(container, list));
    return [
      ...lists.flatMap(mount => checkVolume(mount, volumes, pod)),
      ...checkPathsOnce(container),
      ...listMappings(container, 'volumeMounts').flatMap(mount => [
        ...checkSubPath(mount),
        ...checkPropagation(mount, container),
      ]),
      ...listMappings(container, 'volumeDevices').flatMap(device => checkDevice(device, volumes)),
    ];
  });
}

function checkVolume(
  mount: PodMapping,
  volumes: ReadonlyMap<string | undefined, PodMapping>,
  { isWhole }: Pod,
): Refusal[] {
  const name = getText(mount, 'name');
  if (name === undefined || volumes.has(name) || !isWhole) return [];
  return [
    refuse(mount, 'name', `the pod has no volume ${JSON.stringify(name)}`, {
      fix: 'add it to spec.volumes of the pod template',
    }),
  ];
}

function checkPathsOnce(container: Container): Refusal[] {
  const taken = new Set<string>();
  const places = [
    ...listMappings(container, 'volumeMounts').map(mount => [mount, 'mountPath'] as const),
    ...listMappings(container, 'volumeDevices').map(device => [device, 'devicePath'] as const),
  ];
  return places.flatMap(([mount, member]) => {
    const path = getText(mount, member);
    if (path === undefined) return [];
    if (taken.has(path))
      return [refuse(mount, member, `${container.called} has two volumes at ${JSON.stringify(path)}`)];
    taken.add(path);
    return [];
  });
}

function checkSubPath(mount: PodMapping): Refusal[] {
  const both = getText(mount, 'subPath') !== undefined && getText(mount, 'subPathExpr') !== undefined;
  return [
    ...['subPath', 'subPathExpr'].flatMap(member => {
      const problem = findInnerPathProblem(getText(mount, member) ?? '');
      return problem === undefined ? [] : [refuse(mount, member, problem)];
    }),
    ...(both ? [refuse(mount, 'subPathExpr', 'a mount has subPath or subPathExpr, not both', { at: 'key' })] : []),
  ];
}

function checkPropagation(mount: PodMapping, container: Container): Refusal[] {
  const security = getMapping(container, 'securityContext');
  const isPrivileged = security !== undefined && getMember(security.value, 'privileged') === true;
  const mode = getText(mount, 'mountPropagation');
  const recursive = getText(mount, 'recursiveReadOnly');
  const isRecursive = recursive === 'Enabled' || recursive === 'IfPossible';
  return [
    ...(mode === 'Bidirectional' && !isPrivileged
      ? [refuse(mount, 'mountPropagation', 'only a privileged container passes its mounts on to the node')]
      : []),
    ...(!has(mount, 'recursiveReadOnly') || isRecursive || recursive === 'Disabled'
      ? []
      : [refuse(mount, 'recursiveReadOnly', 'recursiveReadOnly is one of Disabled, IfPossible, Enabled')]),
    ...(isRecursive && getMember(mount.value, 'readOnly') !== true
      ? [refuse(mount, 'recursiveReadOnly', 'recursiveReadOnly needs readOnly: true')]
      : []),
    ...(isRecursive && mode !== undefined && mode !== 'None'
      ? [refuse(mount, 'recursiveReadOnly', 'recursiveReadOnly cannot be with mountPropagation')]
      : []),
  ];
}

function checkDevice(device: PodMapping, volumes: ReadonlyMap<string | undefined, PodMapping>): Refusal[] {
  const volume = volumes.get(getText(device, 'name'));
  const isBlock = volume === undefined || has(volume, 'persistentVolumeClaim') || has(volume, 'ephemeral');
  const problem = findInnerPathProblem((getText(device, 'devicePath') ?? '').replace(/^\/+/, ''));
  return [
    ...(isBlock
      ? []
      : [refuse(device, 'name', 'a device is a volume from a claim (persistentVolumeClaim or ephemeral)')]),
    ...(problem === undefined ? [] : [refuse(device, 'devicePath', problem)]),
  ];
}
