import { memberOf } from '#schemas';
import { labelKeyProblem, labelValueProblem } from '../../../source/name-syntax.ts';
import { labelRefusals } from './metadata.ts';
import { has, number, type Part, type Pod, part, parts, type Refusal, refuse, specOf, text } from './pod.ts';
import { requirementRefusals, selectorRefusals } from './selectors.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MAX_WEIGHT = 100;

/** What says on which nodes the pods run can be read as such. */
export function podScheduling(pod: Pod): Refusal[] {
  const spec = specOf(pod);
  const affinity = part(spec, 'affinity');
  return [
    ...labelRefusals(spec, 'nodeSelector'),
    ...parts(spec, 'tolerations').flatMap(tolerationRefusals),
    ...(affinity === undefined
      ? []
      : [
          ...nodeRefusals(affinity),
          ...['podAffinity', 'podAntiAffinity'].flatMap(name => podRefusals(affinity, name)),
        ]),
    ...parts(spec, 'topologySpreadConstraints').flatMap(spreadRefusals),
  ];
}

function tolerationRefusals(toleration: Part): Refusal[] {
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

function nodeRefusals(affinity: Part): Refusal[] {
  const node = part(affinity, 'nodeAffinity');
  if (node === undefined) return [];
  const required = part(node, REQUIRED);
  const terms = required === undefined ? [] : parts(required, 'nodeSelectorTerms');
  const isEmpty = required !== undefined && terms.length === 0 && !has(required, 'nodeSelectorTerms');
  const hasNone =
    required !== undefined && Array.isArray(memberOf(required.value, 'nodeSelectorTerms')) && terms.length === 0;
  return [
    ...(required !== undefined && (isEmpty || hasNone)
      ? [{ places: [required.path], message: 'nodeSelectorTerms needs at least one term' }]
      : []),
    ...terms.flatMap(termRefusals),
    ...parts(node, PREFERRED).flatMap(preferred => {
      const preference = part(preferred, 'preference');
      return [...weightRefusal(preferred), ...(preference === undefined ? [] : termRefusals(preference))];
    }),
  ];
}

function termRefusals(term: Part): Refusal[] {
  return parts(term, 'matchExpressions').flatMap(one => requirementRefusals(one));
}

function weightRefusal(preferred: Part): Refusal[] {
  const weight = number(preferred, 'weight');
  if (weight === undefined || (weight >= 1 && weight <= MAX_WEIGHT)) return [];
  return [refuse(preferred, 'weight', `a weight is from 1 to ${MAX_WEIGHT}, this is ${weight}`)];
}

function podRefusals(affinity: Part, name: string): Refusal[] {
  const pods = part(affinity, name);
  if (pods === undefined) return [];
  return [
    ...parts(pods, REQUIRED).flatMap(podTermRefusals),
    ...parts(pods, PREFERRED).flatMap(preferred => {
      const term = part(preferred, 'podAffinityTerm');
      return [...weightRefusal(preferred), ...(term === undefined ? [] : podTermRefusals(term))];
    }),
  ];
}

function podTermRefusals(term: Part): Refusal[] {
  return [
    ...topologyRefusal(term),
    ...selectorRefusals(term),
    ...selectorRefusals(term, 'namespaceSelector'),
    ...keysNeedSelector(term),
  ];
}

function topologyRefusal(term: Part): Refusal[] {
  const key = text(term, 'topologyKey');
  const problem = key === undefined ? undefined : labelKeyProblem(key);
  return problem === undefined ? [] : [refuse(term, 'topologyKey', `the name ${JSON.stringify(key)} ${problem}`)];
}

function keysNeedSelector(term: Part): Refusal[] {
  return ['matchLabelKeys', 'mismatchLabelKeys']
    .filter(name => has(term, name) && part(term, 'labelSelector') === undefined)
    .map(name => refuse(term, name, `${name} needs a labelSelector next to it`, { at: 'key' }));
}

function spreadRefusals(constraint: Part): Refusal[] {
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
