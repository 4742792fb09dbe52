import { getMember } from '#schemas';
import {
  type Container,
  getNumber,
  getPodSpec,
  getText,
  listContainers,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';
import { findPortNameProblem, findPortProblem } from './port-syntax.ts';

/** Checks that ports are valid, and that no name or host port is used twice. */
export function checkPodPorts(pod: Pod): Refusal[] {
  const containers = listContainers(pod);
  const isOnHost = getMember(getPodSpec(pod).value, 'hostNetwork') === true;
  return [
    ...containers.flatMap(container => [
      ...checkNamesOnce(container),
      ...listMappings(container, 'ports').flatMap(port => [
        ...checkNumber(port),
        ...(isOnHost && !container.isInit ? checkHost(port) : []),
      ]),
    ]),
    // Init containers run one after the other, so their ports cannot collide.
    ...containers.filter(({ isInit }) => isInit).flatMap(container => checkHostPortsOnce([container])),
    ...checkHostPortsOnce(containers.filter(({ isInit }) => !isInit)),
  ];
}

function checkNumber(port: PodMapping): Refusal[] {
  const hostPort = getNumber(port, 'hostPort');
  return [
    ...checkPort(port, 'containerPort', getNumber(port, 'containerPort')),
    ...(hostPort === 0 ? [] : checkPort(port, 'hostPort', hostPort)),
  ];
}

function checkPort(port: PodMapping, name: string, value: number | undefined): Refusal[] {
  const problem = value === undefined ? undefined : findPortProblem(value);
  return problem === undefined ? [] : [refuse(port, name, problem)];
}

function checkHost(port: PodMapping): Refusal[] {
  const hostPort = getNumber(port, 'hostPort') ?? 0;
  if (hostPort === 0 || hostPort === getNumber(port, 'containerPort')) return [];
  return [
    refuse(port, 'hostPort', 'with hostNetwork the port of the node is that of the container: leave hostPort out'),
  ];
}

function checkNamesOnce(container: Container): Refusal[] {
  const taken = new Set<string>();
  return listMappings(container, 'ports').flatMap(port => {
    const name = getText(port, 'name');
    if (name === undefined) return [];
    const problem = findPortNameProblem(name);
    if (problem !== undefined) return [refuse(port, 'name', problem)];
    if (taken.has(name))
      return [refuse(port, 'name', `two ports of ${container.called} are named ${JSON.stringify(name)}`)];
    taken.add(name);
    return [];
  });
}

function checkHostPortsOnce(containers: readonly Container[]): Refusal[] {
  const taken = new Set<string>();
  return containers.flatMap(container =>
    listMappings(container, 'ports').flatMap(port => {
      const hostPort = getNumber(port, 'hostPort') ?? 0;
      if (hostPort === 0) return [];
      const key = JSON.stringify([getText(port, 'protocol') ?? 'TCP', getText(port, 'hostIP') ?? '', hostPort]);
      if (taken.has(key))
        return [refuse(port, 'hostPort', `two containers of the pod take port ${hostPort} of the node`)];
      taken.add(key);
      return [];
    }),
  );
}
