import { getMember } from '#schemas';
import {
  type Container,
  getMapping,
  getNumber,
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
import { checkPort, findPortProblem } from './port-syntax.ts';

const OF_PROBE = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const OF_HOOK = ['exec', 'httpGet', 'tcpSocket', 'sleep'];
const TIMES = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

/** Checks that a probe or hook has exactly one handler, and valid times. */
export function checkPodProbes(pod: Pod): Refusal[] {
  const grace = getNumber(getPodSpec(pod), 'terminationGracePeriodSeconds');
  return listContainers(pod).flatMap(container => [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap(name => probeRefusals(container, name)),
    ...checkHook(container, grace),
  ]);
}

function probeRefusals(container: Container, name: string): Refusal[] {
  const probe = getMapping(container, name);
  if (probe === undefined) return [];
  const grace = getNumber(probe, 'terminationGracePeriodSeconds');
  const successes = getNumber(probe, 'successThreshold') ?? 1;
  return [
    ...checkHandlers(probe, OF_PROBE, name),
    ...TIMES.filter(time => (getNumber(probe, time) ?? 0) < 0).map(time =>
      refuse(probe, time, `${time} is not negative`),
    ),
    // 0 counts as unset and becomes 1.
    ...(name !== 'readinessProbe' && successes > 1
      ? [refuse(probe, 'successThreshold', `the successThreshold of a ${name} is 1`)]
      : []),
    ...(grace !== undefined && name === 'readinessProbe'
      ? [
          refuse(probe, 'terminationGracePeriodSeconds', 'a readinessProbe ends no container: leave it out', {
            at: 'key',
          }),
        ]
      : []),
    ...(grace !== undefined && grace <= 0
      ? [refuse(probe, 'terminationGracePeriodSeconds', 'it must be more than 0')]
      : []),
  ];
}

function checkHook(container: Container, grace: number | undefined): Refusal[] {
  const lifecycle = getMapping(container, 'lifecycle');
  if (lifecycle === undefined) return [];
  return ['postStart', 'preStop'].flatMap(name => {
    const hook = getMapping(lifecycle, name);
    if (hook === undefined) return [];
    const sleep = getMapping(hook, 'sleep');
    const seconds = sleep && getNumber(sleep, 'seconds');
    const isTooLong = grace !== undefined && seconds !== undefined && (seconds < 0 || seconds > grace);
    const message = `the pod is ended after ${grace} seconds (terminationGracePeriodSeconds): sleep 0 to ${grace}`;
    return [...checkHandlers(hook, OF_HOOK, name), ...(sleep && isTooLong ? [refuse(sleep, 'seconds', message)] : [])];
  });
}

function checkHandlers(asking: PodMapping, kinds: readonly string[], name: string): Refusal[] {
  const handlers = kinds.filter(kind => has(asking, kind));
  if (handlers.length === 0)
    return [{ places: [asking.path], at: 'key', message: `a ${name} needs one of ${kinds.join(', ')}` }];
  if (handlers.length > 1) {
    const message = `a ${name} asks in one way, not by ${handlers.join(' and ')}: set the other to null`;
    return [{ places: handlers.map(kind => [...asking.path, kind]), at: 'key', message }];
  }
  const handler = getMapping(asking, handlers[0] ?? '');
  return handler === undefined ? [] : checkHandler(handler, handlers[0] ?? '');
}

function checkHandler(handler: PodMapping, kind: string): Refusal[] {
  const port = getMember(handler.value, 'port');
  switch (kind) {
    case 'exec': {
      const command = getMember(handler.value, 'command');
      const isEmpty = !Array.isArray(command) || command.length === 0;
      return isEmpty ? [{ places: [handler.path], at: 'key', message: 'exec needs a command' }] : [];
    }
    case 'httpGet':
      return [...checkPort(port, [...handler.path, 'port']), ...checkHeader(handler)];
    case 'tcpSocket':
      return checkPort(port, [...handler.path, 'port']);
    case 'grpc': {
      const problem = findPortProblem(getNumber(handler, 'port') ?? 1);
      return problem === undefined ? [] : [refuse(handler, 'port', problem)];
    }
    default:
      return [];
  }
}

function checkHeader(handler: PodMapping): Refusal[] {
  return listMappings(handler, 'httpHeaders')
    .filter(header => has(header, 'name') && !/^[-A-Za-z0-9]+$/.test(getText(header, 'name') ?? ''))
    .map(header => refuse(header, 'name', 'the name of a header holds letters, digits and "-"'));
}
