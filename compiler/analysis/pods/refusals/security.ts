import { getMember } from '#schemas';
import { innerPathProblem } from './paths.ts';
import {
  type Container,
  getMapping,
  getPodSpec,
  items,
  listContainers,
  listMappings,
  number,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
  text,
} from './pod.ts';

const MAX_ID = 2 ** 31 - 1;
const MAX_SYSCTL = 253;
const SYSCTL = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** Users and groups are valid ids, and settings do not contradict each other. */
export function podSecurity(pod: Pod): Refusal[] {
  const spec = getPodSpec(pod);
  const ofPod = getMapping(spec, 'securityContext');
  return [
    ...(ofPod === undefined ? [] : [...commonRefusals(ofPod), ...groupRefusals(ofPod), ...sysctlRefusals(ofPod)]),
    ...listContainers(pod).flatMap(container => containerRefusals(container, spec)),
    ...hostRefusals(spec),
  ];
}

/** Settings that pods and containers share. */
function commonRefusals(context: PodMapping): Refusal[] {
  return [
    ...['runAsUser', 'runAsGroup', 'fsGroup'].flatMap(name =>
      idRefusal(number(context, name), [...context.path, name]),
    ),
    ...['seccompProfile', 'appArmorProfile'].flatMap(name => profileRefusals(context, name)),
  ];
}

function idRefusal(id: number | undefined, path: PodMapping['path']): Refusal[] {
  if (id === undefined || (id >= 0 && id <= MAX_ID)) return [];
  return [{ places: [path], message: `${id} is no user or group: a number from 0 to ${MAX_ID}` }];
}

function profileRefusals(context: PodMapping, name: string): Refusal[] {
  const profile = getMapping(context, name);
  if (profile === undefined) return [];
  const isLocal = text(profile, 'type') === 'Localhost';
  const file = getMember(profile.value, 'localhostProfile');
  if (isLocal && typeof file !== 'string')
    return [{ places: [profile.path], message: 'type Localhost needs a localhostProfile' }];
  if (!isLocal && typeof file === 'string')
    return [refuse(profile, 'localhostProfile', 'it is only for type Localhost', { at: 'key' })];
  if (typeof file !== 'string') return [];
  const isPadded = name === 'appArmorProfile' && (file === '' || file.trim() !== file);
  const problem = isPadded ? 'the name of a profile is not empty, without spaces around it' : undefined;
  const found = name === 'seccompProfile' ? innerPathProblem(file) : problem;
  return found === undefined ? [] : [refuse(profile, 'localhostProfile', found)];
}

function groupRefusals(context: PodMapping): Refusal[] {
  return items(context, 'supplementalGroups').flatMap(({ value, path }) =>
    idRefusal(typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined, path),
  );
}

function sysctlRefusals(context: PodMapping): Refusal[] {
  const taken = new Set<string>();
  return listMappings(context, 'sysctls').flatMap(sysctl => {
    const name = text(sysctl, 'name');
    if (name === undefined) return [];
    if (name.length > MAX_SYSCTL || !SYSCTL.test(name))
      return [refuse(sysctl, 'name', `${JSON.stringify(name)} is not a valid name of a sysctl`)];
    if (taken.has(name)) return [refuse(sysctl, 'name', `${name} is set twice`)];
    taken.add(name);
    return [];
  });
}

function containerRefusals(container: Container, spec: PodMapping): Refusal[] {
  const context = getMapping(container, 'securityContext');
  if (context === undefined) return [];
  const { privileged, allowPrivilegeEscalation, procMount } = context.value;
  const places = [
    [...context.path, 'privileged'],
    [...context.path, 'allowPrivilegeEscalation'],
  ];
  const capabilities = getMapping(context, 'capabilities');
  const admin = capabilities && items(capabilities, 'add').find(({ value }) => value === 'CAP_SYS_ADMIN');
  return [
    ...commonRefusals(context),
    ...(privileged === true && allowPrivilegeEscalation === false
      ? [
          {
            places,
            message: 'privileged: true cannot be with allowPrivilegeEscalation: false',
            fix: 'set allowPrivilegeEscalation to null as well',
          },
        ]
      : []),
    ...(admin !== undefined && allowPrivilegeEscalation === false
      ? [
          {
            places: [admin.path],
            message: 'CAP_SYS_ADMIN cannot be with allowPrivilegeEscalation: false',
            fix: 'set allowPrivilegeEscalation to null as well',
          },
        ]
      : []),
    ...(procMount === 'Unmasked' && getMember(spec.value, 'hostUsers') !== false
      ? [refuse(context, 'procMount', 'Unmasked needs hostUsers: false of the pod')]
      : []),
  ];
}

/** Namespaces that a pod shares with its node. */
function hostRefusals(spec: PodMapping): Refusal[] {
  const { hostUsers, hostPID, shareProcessNamespace } = spec.value;
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter(name => getMember(spec.value, name) === true);
  return [
    ...(hostUsers === false ? shared.map(name => refuse(spec, name, `${name} cannot be with hostUsers: false`)) : []),
    ...(hostPID === true && shareProcessNamespace === true
      ? [refuse(spec, 'shareProcessNamespace', 'shareProcessNamespace cannot be with hostPID')]
      : []),
  ];
}
