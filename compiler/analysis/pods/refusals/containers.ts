import { DNS_LABEL_FORM, isDnsLabel } from '../../../source/name-syntax.ts';
import { type Container, has, listContainers, type Pod, type Refusal, refuse, text } from './pod.ts';

/** What only a container that runs next to the others may have. */
const OF_RUNNING = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** The container of the server is there, names are names and taken once, and what has no effect in an init container is not there. */
export function podContainers(pod: Pod): Refusal[] {
  const containers = listContainers(pod);
  const hasMain = containers.some(one => !one.isInit && text(one, 'name') === pod.main);
  const noMain = `the pod has no container "${pod.main}", which is the server itself`;
  return [
    ...(hasMain ? [] : [{ places: [['spec', 'containers']], message: noMain }]),
    ...nameRefusals(containers),
    ...containers.flatMap(one => [...imageRefusal(one, pod), ...initRefusals(one)]),
  ];
}

/** The names of init containers and of containers are one set. */
function nameRefusals(containers: readonly Container[]): Refusal[] {
  const taken = new Set<string>();
  // When two containers have one name, the init container is the one that the user added.
  return containers.toReversed().flatMap(container => {
    const name = text(container, 'name');
    if (name === undefined) return [];
    if (!isDnsLabel(name)) {
      return [refuse(container, 'name', `${JSON.stringify(name)} is no name of a container: ${DNS_LABEL_FORM}`)];
    }
    if (taken.has(name)) return [refuse(container, 'name', `two containers are named ${JSON.stringify(name)}`)];
    taken.add(name);
    return [];
  });
}

function imageRefusal(container: Container, { main }: Pod): Refusal[] {
  // Other containers without an image get a finding when the template is read.
  const isEmpty = has(container, 'image') && text(container, 'image') === undefined;
  return isEmpty && text(container, 'name') === main ? [refuse(container, 'image', 'the image is empty')] : [];
}

function initRefusals(container: Container): Refusal[] {
  const policy = text(container, 'restartPolicy');
  const rules = has(container, 'restartPolicyRules') && policy === undefined;
  return [
    ...(rules ? [refuse(container, 'restartPolicyRules', 'rules for restarts need a restartPolicy next to them')] : []),
    ...(container.isInit && policy !== 'Always'
      ? OF_RUNNING.filter(name => has(container, name)).map(name =>
          refuse(container, name, `an init container has a ${name} only with restartPolicy: Always`, { at: 'key' }),
        )
      : []),
  ];
}
