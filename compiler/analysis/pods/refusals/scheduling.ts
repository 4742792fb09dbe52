import { getMember } from '#schemas';
import { labelKeyProblem, labelValueProblem } from '../../../source/name-syntax.ts';
import { labelRefusals } from './metadata.ts';
import {
  getMapping,
  getPodSpec,
  has,
  listMappings,
  number,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
  text,
} from './pod.ts';
import { requirementRefusals, selectorRefusals } from './selectors.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MAX_WEIGHT = 100;

/** Errors of the API server about fields that select nodes. */
export function podScheduling(pod: Pod): Refusal[] {
  const spec = getPodSpec(pod);
  const affinity = getMapping(spec, 'affinity');
  return [
    ...labelRefusals(spec, 'nodeSelector'),
    ...listMappings(spec, 'tolerations').flatMap(tolerationRefusals),
    ...(affinity === undefined
      ? []
      : [
          ...nodeRefusals(affinity),
          ...['podAffinity', 'podAntiAffinity'].flatMap(name => podRefusals(affinity, name)),
        ]),
    ...listMappings(spec, 'topologySpreadConstraints').flatMap(spreadRefusals),
  ];
}

function tolerationRefusals(toleration: PodMapping): Refusal[] {
  const [key, operator, value] = [text(toleration, 'key'), text(toleration, 'operator'), text(toleration, 'value')];
  const problem = key === undefined ? undefined : labelKeyProblem(key);
  const isTimed = has(toleration, 'tolerationSeconds') && text(toleration, 'effect') !== 'NoExecute';
  const wrong = operator === 'Exists' || value === undefined ? undefined : labelValueProblem(value);
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

function nodeRefusals(affinity: PodMapping): Refusal[] {
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
    ...terms.flatMap(termRefusals),
    ...listMappings(node, PREFERRED).flatMap(preferred => {
      const preference = getMapping(preferred, 'preference');
      return [...weightRefusal(preferred), ...(preference === undefined ? [] : termRefusals(preference))];
    }),
  ];
}

function termRefusals(term: PodMapping): Refusal[] {
  return listMappings(term, 'matchExpressions').flatMap(one => requirementRefusals(one));
}

function weightRefusal(preferred: PodMapping): Refusal[] {
  const weight = number(preferred, 'weight');
  if (weight === undefined || (weight >= 1 && weight <= MAX_WEIGHT)) return [];
  return [refuse(preferred, 'weight', `a weight is from 1 to ${MAX_WEIGHT}, this is ${weight}`)];
}

function podRefusals(affinity: PodMapping, name: string): Refusal[] {
  const pods = getMapping(affinity, name);
  if (pods === undefined) return [];
  return [
    ...listMappings(pods, REQUIRED).flatMap(podTermRefusals),
    ...listMappings(pods, PREFERRED).flatMap(preferred => {
      const term = getMapping(preferred, 'podAffinityTerm');
      return [...weightRefusal(preferred), ...(term === undefined ? [] : podTermRefusals(term))];
    }),
  ];
}

function podTermRefusals(term: PodMapping): Refusal[] {
  return [
    ...topologyRefusal(term),
    ...selectorRefusals(term),
    ...selectorRefusals(term, 'namespaceSelector'),
    ...keysNeedSelector(term),
  ];
}

function topologyRefusal(term: PodMapping): Refusal[] {
  const key = text(term, 'topologyKey');
  const problem = key === undefined ? undefined : labelKeyProblem(key);
  return problem === undefined ? [] : [refuse(term, 'topologyKey', `the name ${JSON.stringify(key)} ${problem}`)];
}

function keysNeedSelector(term: PodMapping): Refusal[] {
  return ['matchLabelKeys', 'mismatchLabelKeys']
    .filter(name => has(term, name) && getMapping(term, 'labelSelector') === undefined)
    .map(name => refuse(term, name, `${name} needs a labelSelector next to it`, { at: 'key' }));
}

function spreadRefusals(constraint: PodMapping): Refusal[] {
  const when = text(constraint, 'whenUnsatisfiable');
  const domains = number(constraint, 'minDomains');
  return [
    ...['maxSkew', 'minDomains']
      .filter(name => (number(constraint, name) ?? 1) < 1)
      .map(name => refuse(constraint, name, `${name} is 1 or more`)),
    ...(domains !== undefined && when !== 'DoNotSchedule'
      ? [refuse(constraint, 'minDomains', 'minDomains needs whenUnsatisfiable: DoNotSchedule')]
      : []),
    ...selectorRefusals(constraint),
    ...keysNeedSelector(constraint),
  ];
}
