import { findPolicySet, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { diagnoseText, locatePolicyText } from '../../analysis/cedar/locate-text.ts';
import { coversScope, isUnconditional } from '../../analysis/cedar/scope.ts';
import { ScopeIndex } from '../../analysis/cedar/scope-index.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * Reports policies that have no effect because of an equal policy, or of an unconditional policy whose scope covers theirs.
 *
 * @holds incomingAuth | policies | have an effect | LNT5004
 * @for gateways, servers
 * @reads sign-in
 * @needs all backends
 */
export function policyOverlap(gateway: GatewayModel): Diagnostic[] {
  const policies = findPolicySet(gateway)?.policies ?? [];
  const contents = policies.map(({ json: { annotations: _, ...content } }) => JSON.stringify(content));
  const firstWith = new Map(contents.map((content, index) => [content, index] as const).reverse());
  const decisive = policies.filter(({ json }) => isUnconditional(json));
  const byScope = (effect: NamedPolicy['json']['effect']) =>
    new ScopeIndex(
      decisive.filter(({ json }) => json.effect === effect),
      ({ json }) => json,
    );
  const forbids = byScope('forbid');
  const permits = byScope('permit');
  return policies.flatMap((policy, index) => {
    const first = policies[firstWith.get(contents[index] ?? '') ?? index];
    if (first !== undefined && first !== policy) return [reportOverlap(policy, first, 'says the same as')];
    const covers = (other: NamedPolicy) => other !== policy && coversScope(other.json, policy.json);
    const isPermit = policy.json.effect === 'permit';
    const forbid = isPermit ? forbids.findFirst(policy.json, covers) : undefined;
    if (forbid !== undefined) return [reportOverlap(policy, forbid, 'is always overridden by')];
    const wider = (isPermit ? permits : forbids).findFirst(policy.json, covers);
    // If two policies cover each other, only the second one is reported.
    const isMutual = wider !== undefined && decidesAll(policy, wider) && policies.indexOf(wider) > index;
    return wider === undefined || isMutual ? [] : [reportOverlap(policy, wider, 'adds nothing to')];
  });
}

function decidesAll(wide: NamedPolicy, narrow: NamedPolicy): boolean {
  return isUnconditional(wide.json) && coversScope(wide.json, narrow.json);
}

function reportOverlap(policy: NamedPolicy, other: NamedPolicy, relation: string): Diagnostic {
  const { file, range } = locatePolicyText(other.source, { offset: other.offset, length: other.text.length });
  const part = { offset: policy.offset, length: policy.text.length };
  const message = `${policy.json.effect} ${policy.name} ${relation} ${other.json.effect} ${other.name}`;
  return diagnoseText(policy.source, 'LNT5004', part, message, {
    related: [{ message: `${other.json.effect} ${other.name}`, file, range }],
  });
}
