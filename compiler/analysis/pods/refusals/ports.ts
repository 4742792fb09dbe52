import { getMember } from '#schemas';
import {
  type Container,
  getPodSpec,
  listContainers,
  listMappings,
  number,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
  text,
} from './pod.ts';
import { portNameProblem, portProblem } from './port-syntax.ts';

/** Ports are valid, and no name or host port is used twice. */
export function podPorts(pod: Pod): Refusal[] {
  const containers = listContainers(pod);
  const isOnHost = getMember(getPodSpec(pod).value, 'hostNetwork') === true;
  return [
    ...containers.flatMap(container => [
      ...namesOnce(container),
      ...listMappings(container, 'ports').flatMap(port => [
        ...numberRefusals(port),
        ...(isOnHost && !container.isInit ? hostRefusals(port) : []),
      ]),
    ]),
    // Init containers run one after the other, so their ports cannot collide.
    ...containers.filter(({ isInit }) => isInit).flatMap(one => hostPortsOnce([one])),
    ...hostPortsOnce(containers.filter(({ isInit }) => !isInit)),
  ];
}

function numberRefusals(port: PodMapping): Refusal[] {
  const hostPort = number(port, 'hostPort');
  return [
    ...checkPort(port, 'containerPort', number(port, 'containerPort')),
    ...(hostPort === 0 ? [] : checkPort(port, 'hostPort', hostPort)),
  ];
}

function checkPort(port: PodMapping, name: string, value: number | undefined): Refusal[] {
  const problem = value === undefined ? undefined : portProblem(value);
  return problem === undefined ? [] : [refuse(port, name, problem)];
}

function hostRefusals(port: PodMapping): Refusal[] {
  const hostPort = number(port, 'hostPort') ?? 0;
  if (hostPort === 0 || hostPort === number(port, 'containerPort')) return [];
  return [
    refuse(port, 'hostPort', 'with hostNetwork the port of the node is that of the container: leave hostPort out'),
  ];
}

function namesOnce(container: Container): Refusal[] {
  const taken = new Set<string>();
  return listMappings(container, 'ports').flatMap(port => {
    const name = text(port, 'name');
    if (name === undefined) return [];
    const problem = portNameProblem(name);
    if (problem !== undefined) return [refuse(port, 'name', problem)];
    if (taken.has(name))
      return [refuse(port, 'name', `two ports of ${container.called} are named ${JSON.stringify(name)}`)];
    taken.add(name);
    return [];
  });
}

function hostPortsOnce(containers: readonly Container[]): Refusal[] {
  const taken = new Set<string>();
  return containers.flatMap(container =>
    listMappings(container, 'ports').flatMap(port => {
      const hostPort = number(port, 'hostPort') ?? 0;
      if (hostPort === 0) return [];
      const key = JSON.stringify([text(port, 'protocol') ?? 'TCP', text(port, 'hostIP') ?? '', hostPort]);
      if (taken.has(key))
        return [refuse(port, 'hostPort', `two containers of the pod take port ${hostPort} of the node`)];
      taken.add(key);
      return [];
    }),
  );
}
