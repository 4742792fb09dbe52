import { memberOf } from '#schemas';
import { innerPathProblem } from './paths.ts';
import {
  type Container,
  containersOf,
  has,
  type Part,
  type Pod,
  part,
  parts,
  type Refusal,
  refuse,
  specOf,
  text,
} from './pod.ts';

/** What is mounted is a volume of the pod, and each path is taken once. */
export function podMounts(pod: Pod): Refusal[] {
  const volumes = new Map(parts(specOf(pod), 'volumes').map(volume => [text(volume, 'name'), volume]));
  return containersOf(pod).flatMap(container => {
    const lists = ['volumeMounts', 'volumeDevices'].flatMap(list => parts(container, list));
    return [
      ...lists.flatMap(mount => volumeRefusal(mount, volumes, pod)),
      ...pathsOnce(container),
      ...parts(container, 'volumeMounts').flatMap(mount => [
        ...subPathRefusals(mount),
        ...propagation(mount, container),
      ]),
      ...parts(container, 'volumeDevices').flatMap(device => deviceRefusal(device, volumes)),
    ];
  });
}

function volumeRefusal(mount: Part, volumes: ReadonlyMap<string | undefined, Part>, { isWhole }: Pod): Refusal[] {
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
    ...parts(container, 'volumeMounts').map(mount => [mount, 'mountPath'] as const),
    ...parts(container, 'volumeDevices').map(device => [device, 'devicePath'] as const),
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

function subPathRefusals(mount: Part): Refusal[] {
  const both = text(mount, 'subPath') !== undefined && text(mount, 'subPathExpr') !== undefined;
  return [
    ...['subPath', 'subPathExpr'].flatMap(member => {
      const problem = innerPathProblem(text(mount, member) ?? '');
      return problem === undefined ? [] : [refuse(mount, member, problem)];
    }),
    ...(both ? [refuse(mount, 'subPathExpr', 'a mount has subPath or subPathExpr, not both', { at: 'key' })] : []),
  ];
}

function propagation(mount: Part, container: Container): Refusal[] {
  const security = part(container, 'securityContext');
  const isPrivileged = security !== undefined && memberOf(security.value, 'privileged') === true;
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
    ...(isRecursive && memberOf(mount.value, 'readOnly') !== true
      ? [refuse(mount, 'recursiveReadOnly', 'recursiveReadOnly needs readOnly: true')]
      : []),
    ...(isRecursive && mode !== undefined && mode !== 'None'
      ? [refuse(mount, 'recursiveReadOnly', 'recursiveReadOnly cannot be with mountPropagation')]
      : []),
  ];
}

function deviceRefusal(device: Part, volumes: ReadonlyMap<string | undefined, Part>): Refusal[] {
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
