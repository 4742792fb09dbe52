/** Whether one policy applies to every request of another one, judging by scopes alone. */
import { ANONYMOUS_PRINCIPAL } from '#shared/plan';
import { formatEntityUid, type PolicyJson, parseEntityUid } from './expression.ts';

type Constraint = PolicyJson['principal'] | PolicyJson['action'];

/** True only if certain: every request in the scope of `narrow` is in the scope of `wide`. */
export function coversScope(wide: PolicyJson, narrow: PolicyJson): boolean {
  return (
    covers(wide.principal, narrow.principal, ANONYMOUS_PRINCIPAL.type) &&
    covers(wide.action, narrow.action) &&
    covers(wide.resource, narrow.resource)
  );
}

/** Whether the policy has no conditions, so that its scope alone decides. */
export function isUnconditional({ conditions }: PolicyJson): boolean {
  return conditions.every(({ kind, body }) => 'Value' in body && body.Value === (kind === 'when'));
}

/** @param always the only type that can occur here */
function covers(wide: Constraint, narrow: Constraint, always?: string): boolean {
  if (wide.op === 'All' || JSON.stringify(wide) === JSON.stringify(narrow)) return true;
  if (wide.op === 'is') {
    if (wide.in !== undefined) return false;
    return wide.entity_type === always || listTypes(narrow).every(type => type === wide.entity_type);
  }
  const entities = new Set(listEntities(wide));
  // An entity contains itself; its other members are unknown here.
  const named = narrow.op === '==' || isOfActions(narrow) ? listEntities(narrow) : [];
  if (named.length > 0) return named.every(uid => entities.has(uid));
  return wide.op === 'in' && narrow.op === 'is' && narrow.in !== undefined && 'entity' in narrow.in
    ? entities.has(formatEntityUid(parseEntityUid(narrow.in.entity)))
    : false;
}

/** An action contains only itself. */
function isOfActions(constraint: Constraint): boolean {
  if (constraint.op !== 'in') return false;
  return 'entities' in constraint || ('entity' in constraint && parseEntityUid(constraint.entity).type === 'Action');
}

/** The types that a constraint allows; `undefined` stands for many. */
function listTypes(constraint: Constraint): readonly (string | undefined)[] {
  if (constraint.op === 'is') return [constraint.entity_type];
  if (constraint.op === '==' && 'entity' in constraint) return [parseEntityUid(constraint.entity).type];
  return [undefined];
}

function listEntities(constraint: Constraint): readonly string[] {
  if (constraint.op !== '==' && constraint.op !== 'in') return [];
  if ('entities' in constraint) return constraint.entities.map(uid => formatEntityUid(parseEntityUid(uid)));
  return 'entity' in constraint ? [formatEntityUid(parseEntityUid(constraint.entity))] : [];
}
