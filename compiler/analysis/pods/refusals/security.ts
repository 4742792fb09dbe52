import { getMember } from '#schemas';
import { findInnerPathProblem } from './paths.ts';
import {
  type Container,
  getMapping,
  getNumber,
  getPodSpec,
  getText,
  listContainers,
  listItems,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';

const MAX_ID = 2 ** 31 - 1;
const MAX_SYSCTL = 253;
const SYSCTL = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** Checks that users and groups are valid ids, and that settings do not contradict each other. */
export function checkPodSecurity(pod: Pod): Refusal[] {
  const spec = getPodSpec(pod);
  const ofPod = getMapping(spec, 'securityContext');
  return [
    ...(ofPod === undefined ? [] : [...checkCommonContext(ofPod), ...checkGroups(ofPod), ...checkSysctl(ofPod)]),
    ...listContainers(pod).flatMap(container => checkContainerContext(container, spec)),
    ...checkHost(spec),
  ];
}

/** Checks the settings that pods and containers have in common. */
function checkCommonContext(context: PodMapping): Refusal[] {
  return [
    ...['runAsUser', 'runAsGroup', 'fsGroup'].flatMap(name =>
      checkId(getNumber(context, name), [...context.path, name]),
    ),
    ...['seccompProfile', 'appArmorProfile'].flatMap(name => checkProfile(context, name)),
  ];
}

function checkId(id: number | undefined, path: PodMapping['path']): Refusal[] {
  if (id === undefined || (id >= 0 && id <= MAX_ID)) return [];
  return [{ places: [path], message: `${id} is no user or group: a number from 0 to ${MAX_ID}` }];
}

function checkProfile(context: PodMapping, name: string): Refusal[] {
  const profile = getMapping(context, name);
  if (profile === undefined) return [];
  const isLocal = getText(profile, 'type') === 'Localhost';
  const file = getMember(profile.value, 'localhostProfile');
  if (isLocal && typeof file !== 'string')
    return [{ places: [profile.path], message: 'type Localhost needs a localhostProfile' }];
  if (!isLocal && typeof file === 'string')
    return [refuse(profile, 'localhostProfile', 'it is only for type Localhost', { at: 'key' })];
  if (typeof file !== 'string') return [];
  const isPadded = name === 'appArmorProfile' && (file === '' || file.trim() !== file);
  const problem = isPadded ? 'the name of a profile is not empty, without spaces around it' : undefined;
  const found = name === 'seccompProfile' ? findInnerPathProblem(file) : problem;
  return found === undefined ? [] : [refuse(profile, 'localhostProfile', found)];
}

function checkGroups(context: PodMapping): Refusal[] {
  return listItems(context, 'supplementalGroups').flatMap(({ value, path }) =>
    checkId(typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined, path),
  );
}

function checkSysctl(context: PodMapping): Refusal[] {
  const taken = new Set<string>();
  return listMappings(context, 'sysctls').flatMap(sysctl => {
    const name = getText(sysctl, 'name');
    if (name === undefined) return [];
    if (name.length > MAX_SYSCTL || !SYSCTL.test(name))
      return [refuse(sysctl, 'name', `${JSON.stringify(name)} is not a valid name of a sysctl`)];
    if (taken.has(name)) return [refuse(sysctl, 'name', `${name} is set twice`)];
    taken.add(name);
    return [];
  });
}

function checkContainerContext(container: Container, spec: PodMapping): Refusal[] {
  const context = getMapping(container, 'securityContext');
  if (context === undefined) return [];
  const { privileged, allowPrivilegeEscalation, procMount } = context.value;
  const paths = [
    [...context.path, 'privileged'],
    [...context.path, 'allowPrivilegeEscalation'],
  ];
  const capabilities = getMapping(context, 'capabilities');
  const admin = capabilities && listItems(capabilities, 'add').find(({ value }) => value === 'CAP_SYS_ADMIN');
  return [
    ...checkCommonContext(context),
    ...(privileged === true && allowPrivilegeEscalation === false
      ? [
          {
            places: paths,
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

/** Checks that the settings about namespaces of the node do not contradict each other. */
function checkHost(spec: PodMapping): Refusal[] {
  const { hostUsers, hostPID, shareProcessNamespace } = spec.value;
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter(name => getMember(spec.value, name) === true);
  return [
    ...(hostUsers === false ? shared.map(name => refuse(spec, name, `${name} cannot be with hostUsers: false`)) : []),
    ...(hostPID === true && shareProcessNamespace === true
      ? [refuse(spec, 'shareProcessNamespace', 'shareProcessNamespace cannot be with hostPID')]
      : []),
  ];
}
