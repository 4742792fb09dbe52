import { isObjectName } from '../../../source/metadata.ts';
import { checkField } from './field-references.ts';
import {
  type Container,
  getMapping,
  getText,
  has,
  listContainers,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const MAX_KEY = 253;

/** Checks that environment variables have valid names and one value each. */
export function checkPodEnvironment(pod: Pod): Refusal[] {
  return listContainers(pod).flatMap(container => [
    ...listMappings(container, 'env').flatMap(variable => [
      ...checkVariableName(variable, 'name'),
      ...checkValue(variable),
    ]),
    ...fromRefusals(container),
  ]);
}

/** Checks that the name of a variable consists of printable ASCII characters except "=". */
function checkVariableName(variable: PodMapping, member: string): Refusal[] {
  const name = getText(variable, member);
  if (name === undefined) return [];
  if (/^[ -<>-~]+$/.test(name)) return [];
  return [
    refuse(
      variable,
      member,
      `${JSON.stringify(name)} is not a valid name of a variable: printable ASCII characters but "="`,
    ),
  ];
}

function checkValue(variable: PodMapping): Refusal[] {
  const from = getMapping(variable, 'valueFrom');
  if (from === undefined) return [];
  const sources = SOURCES.filter(name => has(from, name));
  if (sources.length === 0) return [refuse(variable, 'valueFrom', `valueFrom needs one of ${SOURCES.join(', ')}`)];
  if (getText(variable, 'value') !== undefined) {
    return [refuse(variable, 'valueFrom', 'a variable has value or valueFrom, not both', { at: 'key' })];
  }
  if (sources.length > 1) {
    return [refuse(from, sources[1] ?? '', `valueFrom has one source, not ${sources.join(' and ')}`, { at: 'key' })];
  }
  return [
    ...['configMapKeyRef', 'secretKeyRef'].flatMap(name => checkKey(getMapping(from, name))),
    ...checkField(from, 'environment'),
  ];
}

function checkKey(ref: PodMapping | undefined): Refusal[] {
  if (ref === undefined) return [];
  const [name, key] = [getText(ref, 'name'), getText(ref, 'key')];
  return [
    ...(name === undefined || isObjectName(name)
      ? []
      : [refuse(ref, 'name', `${JSON.stringify(name)} is not a valid name of an object`)]),
    ...(name === undefined ? [{ places: [ref.path], message: 'the reference needs a name' }] : []),
    ...(key !== undefined && !isKey(key)
      ? [refuse(ref, 'key', `${JSON.stringify(key)} is no key: letters, digits, "-", "_" and "."`)]
      : []),
  ];
}

/** Whether a text is a valid key of a ConfigMap or Secret. */
function isKey(key: string): boolean {
  return key.length <= MAX_KEY && /^[-._a-zA-Z0-9]+$/.test(key) && key !== '.' && !key.startsWith('..');
}

function fromRefusals(container: Container): Refusal[] {
  return listMappings(container, 'envFrom').flatMap(entry => {
    const sources = ['configMapRef', 'secretRef'].filter(name => has(entry, name));
    if (sources.length !== 1) {
      return [{ places: [entry.path], message: 'an entry of envFrom has one of configMapRef and secretRef' }];
    }
    const ref = getMapping(entry, sources[0] ?? '');
    const name = ref && getText(ref, 'name');
    // A reference may contain the prefix of an object whose name is generated.
    const isBad = ref !== undefined && (name === undefined || !isObjectName(name.replace(/-$/, 'a')));
    return [
      ...(isBad ? [refuse(ref, 'name', `${JSON.stringify(name ?? '')} is not a valid name of an object`)] : []),
      ...checkVariableName(entry, 'prefix'),
    ];
  });
}
