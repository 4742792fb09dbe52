import { DNS_LABEL_FORM, isDnsLabel } from '../../../source/name-syntax.ts';
import { type Container, getText, has, listContainers, type Pod, type Refusal, refuse } from './pod.ts';

/** Fields that only a long-running container may have. */
const OF_RUNNING = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** Checks that the server's container exists, that names are valid and unique, and that init containers have no fields without effect. */
export function checkPodContainers(pod: Pod): Refusal[] {
  const containers = listContainers(pod);
  const hasMain = containers.some(container => !container.isInit && getText(container, 'name') === pod.main);
  const noMain = `the pod has no container "${pod.main}", which is the server itself`;
  return [
    ...(hasMain ? [] : [{ places: [['spec', 'containers']], message: noMain }]),
    ...checkNames(containers),
    ...containers.flatMap(container => [...checkImage(container, pod), ...initRefusals(container)]),
  ];
}

/** Checks the names of all containers: init containers and containers share one set of names. */
function checkNames(containers: readonly Container[]): Refusal[] {
  const taken = new Set<string>();
  // If two containers have the same name, the pod template of the spec added the init container.
  return containers.toReversed().flatMap(container => {
    const name = getText(container, 'name');
    if (name === undefined) return [];
    if (!isDnsLabel(name)) {
      return [
        refuse(container, 'name', `${JSON.stringify(name)} is not a valid name of a container: ${DNS_LABEL_FORM}`),
      ];
    }
    if (taken.has(name)) return [refuse(container, 'name', `two containers are named ${JSON.stringify(name)}`)];
    taken.add(name);
    return [];
  });
}

function checkImage(container: Container, { main }: Pod): Refusal[] {
  // A missing image of another container is reported when the template is read.
  const isEmpty = has(container, 'image') && getText(container, 'image') === undefined;
  return isEmpty && getText(container, 'name') === main ? [refuse(container, 'image', 'the image is empty')] : [];
}

function initRefusals(container: Container): Refusal[] {
  const policy = getText(container, 'restartPolicy');
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
