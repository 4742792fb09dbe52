import { type NamedPolicy, policySetOf } from '../../cedar/authorization.ts';
import { diagnoseText, rangeOf } from '../../cedar/placed-text.ts';
import { isUnconditional, scopeCovers } from '../../cedar/scope.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { GatewayModel } from '../../gateway/model.ts';

/** Every policy makes a difference beside the others, as far as their scopes tell. */
export function policyOverlap(gateway: GatewayModel): Diagnostic[] {
  const policies = policySetOf(gateway)?.policies ?? [];
  const contents = policies.map(({ json: { annotations: _, ...content } }) => JSON.stringify(content));
  return policies.flatMap((policy, index) => {
    const first = policies[contents.indexOf(contents[index] ?? '')];
    if (first !== undefined && first !== policy) return [overlap(policy, first, 'says the same as')];
    const forbid = policies.find(other => other.json.effect === 'forbid' && decidesAll(other, policy));
    if (forbid !== undefined && policy.json.effect === 'permit')
      return [overlap(policy, forbid, 'is always overridden by')];
    const wider = policies.find(other => other.json.effect === policy.json.effect && decidesAll(other, policy));
    // Of two that cover each other the first one stays.
    const isMutual = wider !== undefined && decidesAll(policy, wider) && policies.indexOf(wider) > index;
    return wider === undefined || isMutual ? [] : [overlap(policy, wider, 'adds nothing to')];
  });
}

function decidesAll(wide: NamedPolicy, narrow: NamedPolicy): boolean {
  return wide !== narrow && isUnconditional(wide.json) && scopeCovers(wide.json, narrow.json);
}

function overlap(policy: NamedPolicy, other: NamedPolicy, relation: string): Diagnostic {
  const file = other.source.resource.document.doc.file;
  const range = rangeOf(other.source, { offset: other.offset, length: other.text.length });
  const part = { offset: policy.offset, length: policy.text.length };
  const message = `${policy.json.effect} ${policy.name} ${relation} ${other.json.effect} ${other.name}`;
  return diagnoseText(policy.source, 'LNT5004', part, message, {
    related: [{ message: `${other.json.effect} ${other.name}`, file, range }],
  });
}
