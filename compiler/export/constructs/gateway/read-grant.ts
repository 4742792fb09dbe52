import { type CallerTest, isScope } from '../../../cdk8s/caller.ts';
import { type Policy, type PolicySubject, renderPolicy } from '../../../cdk8s/grants/policy.ts';
import type { ToolTest } from '../../../cdk8s/tools.ts';
import { type Entity, type Expression, type ReadPolicy, readPolicy, unescapeLiteral } from './cedar-expression.ts';

/**
 * The grant that renders to a policy byte for byte; undefined for a handwritten policy.
 * @param groupType entity type of groups
 */
export function readGrant(text: string, groupType: string): Policy | undefined {
  const read = readPolicy(text);
  if (read === undefined) return undefined;
  const { id, effect } = read;
  return listCandidates(read, groupType)
    .map(([caller, subject]): Policy => ({ id, effect, caller, subject }))
    .find(policy => renderPolicy(policy, groupType) === text);
}

type Candidate = readonly [caller: CallerTest, subject: PolicySubject];

/** A policy names its callers either in its head, or in the condition, before the test of the items. */
function listCandidates(policy: ReadPolicy, groupType: string): readonly Candidate[] {
  const { principal, condition } = policy;
  const inHead = principal.type === 'variable' ? undefined : readCaller(principal, groupType);
  const pair = (caller: CallerTest | undefined, about: Expression | undefined): readonly Candidate[] => {
    const subject = readSubject(policy, about);
    return caller === undefined || subject === undefined ? [] : [[caller, subject]];
  };
  if (principal.type !== 'variable') return pair(inHead, condition);
  const [first, second, ...others] = condition?.type === 'and' ? condition.parts : [];
  const isPair = first?.type === 'group' && second?.type === 'group' && others.length === 0;
  return [
    ...(condition === undefined ? [] : pair(readCaller(condition, groupType), undefined)),
    ...pair({ type: 'any' }, condition),
    ...(isPair ? pair(readCaller(first.inner, groupType), second.inner) : []),
  ];
}

function readCaller(test: Expression, groupType: string): CallerTest | undefined {
  switch (test.type) {
    case 'value':
      return test.value === true ? { type: 'any' } : undefined;
    case 'in': {
      const [entity] = test.entities;
      return test.of === 'principal' && entity?.type === groupType ? { type: 'group', value: entity.id } : undefined;
    }
    case 'equals':
      return isVariable(test.left, 'principal') && test.right.type === 'entity'
        ? { type: 'subject', value: test.right.entity.id }
        : undefined;
    case 'and':
      return readClaim(test.parts) ?? readSeveral(test.type, test.parts, groupType);
    case 'or':
      return readSeveral(test.type, test.parts, groupType);
    default:
      return undefined;
  }
}

function readSeveral(type: 'and' | 'or', parts: readonly Expression[], groupType: string): CallerTest | undefined {
  const tests = parts.map(part => readCaller(part.type === 'group' ? part.inner : part, groupType));
  return tests.includes(undefined) ? undefined : { type, tests: tests.filter(test => test !== undefined) };
}

const CLAIM = 'claim_';
const SET = 'claimset_';

/** The caller of a condition `principal has claim_x && …`, or of the same form for a set claim. */
function readClaim([guard, test, ...others]: readonly Expression[]): CallerTest | undefined {
  if (guard?.type !== 'has' || test === undefined || others.length > 0) return undefined;
  if (guard.name.startsWith(SET) && test.type === 'contains') {
    const claim = guard.name.slice(SET.length);
    const { value } = test;
    return claim === 'scope' && isScope(value) ? { type: 'scope', value } : { type: 'includes', claim, value };
  }
  if (!guard.name.startsWith(CLAIM) || test.type !== 'equals' || test.right.type !== 'value') return undefined;
  return { type: 'claim', claim: guard.name.slice(CLAIM.length), value: test.right.value };
}

function readSubject({ action, resource }: ReadPolicy, condition: Expression | undefined): PolicySubject | undefined {
  if (isVariable(action, 'action')) return condition === undefined ? { type: 'everything' } : undefined;
  const what = action.type === 'equals' && action.right.type === 'entity' ? action.right.entity.id : undefined;
  const head = isVariable(resource, 'resource') ? undefined : readIds(resource);
  const tests = condition === undefined ? [] : listAlternatives(condition);
  const ids = [...(head ?? []), ...tests.flatMap(test => readIds(test) ?? [])];
  switch (what) {
    case 'call_tool':
      return {
        type: 'tools',
        names: ids,
        tests: head === undefined && condition === undefined ? ['all'] : listHintTests(tests),
      };
    case 'get_prompt':
      return { type: 'prompts', names: ids };
    case 'read_resource':
      return { type: 'resources', uris: ids, under: tests.flatMap(readPrefix) };
    default:
      return undefined;
  }
}

function listAlternatives(condition: Expression): readonly Expression[] {
  const parts = condition.type === 'or' ? condition.parts : [condition];
  return parts.map(part => (part.type === 'group' ? part.inner : part));
}

/** The ids in a condition `resource == Tool::"a"` or `resource in [Tool::"a", Tool::"b"]`. */
function readIds(test: Expression): readonly string[] | undefined {
  if (test.type === 'in' && test.of === 'resource') return test.entities.map(({ id }: Entity) => id);
  const isOne = test.type === 'equals' && isVariable(test.left, 'resource') && test.right.type === 'entity';
  return isOne && test.right.type === 'entity' ? [test.right.entity.id] : undefined;
}

function readPrefix(test: Expression): readonly string[] {
  return test.type === 'like' ? [unescapeLiteral(test.pattern).replace(/\*$/, '')] : [];
}

/** The tests of hints in a policy. Only the negation of the first part is examined to tell them apart. Rendering the grant then confirms the rest. */
function listHintTests(tests: readonly Expression[]): readonly ToolTest[] {
  return tests.flatMap((test): readonly ToolTest[] => {
    if (test.type !== 'and') return [];
    return [test.parts[0]?.type === 'not' ? 'destructive' : 'readOnly'];
  });
}

function isVariable(expression: Expression, name: string): boolean {
  return expression.type === 'variable' && expression.name === name;
}
