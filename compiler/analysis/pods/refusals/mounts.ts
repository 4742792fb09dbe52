import { getMember } from '#schemas';
import { innerPathProblem } from './paths.ts';
import {
  type Container,
  getMapping,
  getPodSpec,
  has,
  listContainers,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
  text,
} from './pod.ts';

/** Every mount refers to a volume of the pod, and mount paths are unique. */
export function podMounts(pod: Pod): Refusal[] {
  const volumes = new Map(listMappings(getPodSpec(pod), 'volumes').map(volume => [text(volume, 'name'), volume]));
  return listContainers(pod).flatMap(container => {
    const lists = ['volumeMounts', 'volumeDevices'].flatMap(list => listMappings(container, list));
    return [
      ...lists.flatMap(mount => volumeRefusal(mount, volumes, pod)),
      ...pathsOnce(container),
      ...listMappings(container, 'volumeMounts').flatMap(mount => [
        ...subPathRefusals(mount),
        ...propagation(mount, container),
      ]),
      ...listMappings(container, 'volumeDevices').flatMap(device => deviceRefusal(device, volumes)),
    ];
  });
}

function volumeRefusal(
  mount: PodMapping,
  volumes: ReadonlyMap<string | undefined, PodMapping>,
  { isWhole }: Pod,
): Refusal[] {
  const name = text(mount, 'name');
  if (name === undefined || volumes.has(name) || !isWhole) return [];
  return [
    refuse(mount, 'name', `the pod has no volume ${JSON.stringify(name)}`, {
      fix: 'add it to spec.volumes of the pod template',
    }),
  ];
}

function pathsOnce(container: Container): Refusal[] {
  const taken = new Set<string>();
  const places = [
    ...listMappings(container, 'volumeMounts').map(mount => [mount, 'mountPath'] as const),
    ...listMappings(container, 'volumeDevices').map(device => [device, 'devicePath'] as const),
  ];
  return places.flatMap(([mount, member]) => {
    const path = text(mount, member);
    if (path === undefined) return [];
    if (taken.has(path))
      return [refuse(mount, member, `${container.called} has two volumes at ${JSON.stringify(path)}`)];
    taken.add(path);
    return [];
  });
}

function subPathRefusals(mount: PodMapping): Refusal[] {
  const both = text(mount, 'subPath') !== undefined && text(mount, 'subPathExpr') !== undefined;
  return [
    ...['subPath', 'subPathExpr'].flatMap(member => {
      const problem = innerPathProblem(text(mount, member) ?? '');
      return problem === undefined ? [] : [refuse(mount, member, problem)];
    }),
    ...(both ? [refuse(mount, 'subPathExpr', 'a mount has subPath or subPathExpr, not both', { at: 'key' })] : []),
  ];
}

function propagation(mount: PodMapping, container: Container): Refusal[] {
  const security = getMapping(container, 'securityContext');
  const isPrivileged = security !== undefined && getMember(security.value, 'privileged') === true;
  const mode = text(mount, 'mountPropagation');
  const recursive = text(mount, 'recursiveReadOnly');
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

function deviceRefusal(device: PodMapping, volumes: ReadonlyMap<string | undefined, PodMapping>): Refusal[] {
  const volume = volumes.get(text(device, 'name'));
  const isBlock = volume === undefined || has(volume, 'persistentVolumeClaim') || has(volume, 'ephemeral');
  const problem = innerPathProblem((text(device, 'devicePath') ?? '').replace(/^\/+/, ''));
  return [
    ...(isBlock
      ? []
      : [refuse(device, 'name', 'a device is a volume from a claim (persistentVolumeClaim or ephemeral)')]),
    ...(problem === undefined ? [] : [refuse(device, 'devicePath', problem)]),
  ];
}
