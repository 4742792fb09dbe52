import { getMember } from '#schemas';
import { findLabelKeyProblem, findLabelValueProblem } from '../../../source/name-syntax.ts';
import { checkLabels } from './metadata.ts';
import {
  getMapping,
  getNumber,
  getPodSpec,
  getText,
  has,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';
import { checkRequirement, checkSelector } from './selectors.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MAX_WEIGHT = 100;

/** Errors of the API server about fields that select nodes. */
export function checkPodScheduling(pod: Pod): Refusal[] {
  const spec = getPodSpec(pod);
  const affinity = getMapping(spec, 'affinity');
  return [
    ...checkLabels(spec, 'nodeSelector'),
    ...listMappings(spec, 'tolerations').flatMap(checkToleration),
    ...(affinity === undefined
      ? []
      : [
          ...checkNode(affinity),
          ...['podAffinity', 'podAntiAffinity'].flatMap(name => checkPodAffinity(affinity, name)),
        ]),
    ...listMappings(spec, 'topologySpreadConstraints').flatMap(spreadRefusals),
  ];
}

function checkToleration(toleration: PodMapping): Refusal[] {
  const [key, operator, value] = [
    getText(toleration, 'key'),
    getText(toleration, 'operator'),
    getText(toleration, 'value'),
  ];
  const problem = key === undefined ? undefined : findLabelKeyProblem(key);
  const isTimed = has(toleration, 'tolerationSeconds') && getText(toleration, 'effect') !== 'NoExecute';
  const wrong = operator === 'Exists' || value === undefined ? undefined : findLabelValueProblem(value);
  return [
    ...(problem === undefined ? [] : [refuse(toleration, 'key', `the name ${JSON.stringify(key)} ${problem}`)]),
    ...(key === undefined && operator !== 'Exists'
      ? [{ places: [[...toleration.path, 'operator']], message: 'a toleration without a key needs operator: Exists' }]
      : []),
    ...(operator === 'Exists' && value !== undefined
      ? [refuse(toleration, 'value', 'with operator: Exists there is no value')]
      : []),
    ...(operator === 'Gt' || operator === 'Lt'
      ? [
          refuse(
            toleration,
            'operator',
            `${operator} is behind a feature gate of the API server that is off by default`,
          ),
        ]
      : []),
    ...(wrong === undefined ? [] : [refuse(toleration, 'value', wrong)]),
    ...(isTimed ? [refuse(toleration, 'tolerationSeconds', 'it needs effect: NoExecute', { at: 'key' })] : []),
  ];
}

function checkNode(affinity: PodMapping): Refusal[] {
  const node = getMapping(affinity, 'nodeAffinity');
  if (node === undefined) return [];
  const required = getMapping(node, REQUIRED);
  const terms = required === undefined ? [] : listMappings(required, 'nodeSelectorTerms');
  const isEmpty = required !== undefined && terms.length === 0 && !has(required, 'nodeSelectorTerms');
  const hasNone =
    required !== undefined && Array.isArray(getMember(required.value, 'nodeSelectorTerms')) && terms.length === 0;
  return [
    ...(required !== undefined && (isEmpty || hasNone)
      ? [{ places: [required.path], message: 'nodeSelectorTerms needs at least one term' }]
      : []),
    ...terms.flatMap(checkTerm),
    ...listMappings(node, PREFERRED).flatMap(preferred => {
      const preference = getMapping(preferred, 'preference');
      return [...checkWeight(preferred), ...(preference === undefined ? [] : checkTerm(preference))];
    }),
  ];
}

function checkTerm(term: PodMapping): Refusal[] {
  return listMappings(term, 'matchExpressions').flatMap(mapping => checkRequirement(mapping));
}

function checkWeight(preferred: PodMapping): Refusal[] {
  const weight = getNumber(preferred, 'weight');
  if (weight === undefined || (weight >= 1 && weight <= MAX_WEIGHT)) return [];
  return [refuse(preferred, 'weight', `a weight is from 1 to ${MAX_WEIGHT}, this is ${weight}`)];
}

function checkPodAffinity(affinity: PodMapping, name: string): Refusal[] {
  const pods = getMapping(affinity, name);
  if (pods === undefined) return [];
  return [
    ...listMappings(pods, REQUIRED).flatMap(checkPodAffinityTerm),
    ...listMappings(pods, PREFERRED).flatMap(preferred => {
      const term = getMapping(preferred, 'podAffinityTerm');
      return [...checkWeight(preferred), ...(term === undefined ? [] : checkPodAffinityTerm(term))];
    }),
  ];
}

function checkPodAffinityTerm(term: PodMapping): Refusal[] {
  return [
    ...checkTopology(term),
    ...checkSelector(term),
    ...checkSelector(term, 'namespaceSelector'),
    ...checkKeysNeedSelector(term),
  ];
}

function checkTopology(term: PodMapping): Refusal[] {
  const key = getText(term, 'topologyKey');
  const problem = key === undefined ? undefined : findLabelKeyProblem(key);
  return problem === undefined ? [] : [refuse(term, 'topologyKey', `the name ${JSON.stringify(key)} ${problem}`)];
}

function checkKeysNeedSelector(term: PodMapping): Refusal[] {
  return ['matchLabelKeys', 'mismatchLabelKeys']
    .filter(name => has(term, name) && getMapping(term, 'labelSelector') === undefined)
    .map(name => refuse(term, name, `${name} needs a labelSelector next to it`, { at: 'key' }));
}

function spreadRefusals(constraint: PodMapping): Refusal[] {
  const when = getText(constraint, 'whenUnsatisfiable');
  const domains = getNumber(constraint, 'minDomains');
  return [
    ...['maxSkew', 'minDomains']
      .filter(name => (getNumber(constraint, name) ?? 1) < 1)
      .map(name => refuse(constraint, name, `${name} is 1 or more`)),
    ...(domains !== undefined && when !== 'DoNotSchedule'
      ? [refuse(constraint, 'minDomains', 'minDomains needs whenUnsatisfiable: DoNotSchedule')]
      : []),
    ...checkSelector(constraint),
    ...checkKeysNeedSelector(constraint),
  ];
}
