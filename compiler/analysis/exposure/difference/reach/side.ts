/** One side of a comparison: callers and policies according to its plan. */

import type { CedarPlan, GatewayBundle } from '#schemas';
import { isObject } from '#schemas';
import type { Expr, PolicyJson } from '../../../cedar/expression.ts';
import { formatEntityUid } from '../../../cedar/expression.ts';
import { parsePolicies } from '../../../cedar/parse-policies.ts';
import type { StaticEntities, StaticEntity } from '../../../cedar/partial-request.ts';
import type { Exposure } from '../../exposure.ts';
import { formatSortedJson } from '../../plan/sorted-json.ts';
import { liftChoices } from './lift-choices.ts';

export interface ReachSide {
  readonly exposure: Exposure;
  readonly plan: Pick<GatewayBundle, 'incomingAuth' | 'backends' | 'aggregation'>;
  /** The policies; null if there are none, so that every authenticated caller may do everything. */
  readonly cedar: CedarSide | null;
}

export interface CedarSide extends CedarPlan {
  readonly conditions: readonly { readonly effect: PolicyJson['effect']; readonly condition: Expr }[];
  readonly statics: StaticEntities;
  /** Whether both sides read groups from the same claims. */
  readonly hasSharedClaims: boolean;
  /** A text that differs between the sides if comparing entities may give different results for the same request. */
  readonly entityTag: string;
}

/** Both sides; undefined for damaged plans and for policies that Cedar cannot parse. */
export function buildSides(
  before: Exposure,
  after: Exposure,
): { readonly before: ReachSide; readonly after: ReachSide } | undefined {
  const [was, is] = [readSide(before), readSide(after)];
  if (was === undefined || is === undefined) return undefined;
  const claims = ({ cedar }: ReachSide) =>
    cedar && formatSortedJson([cedar.groupClaims, cedar.roleClaim, cedar.groupType]);
  const hasSharedClaims = was.cedar === null || is.cedar === null || claims(was) === claims(is);
  const shared = (side: ReachSide): ReachSide => ({ ...side, cedar: side.cedar && { ...side.cedar, hasSharedClaims } });
  return { before: shared(was), after: shared(is) };
}

function readSide(exposure: Exposure): ReachSide | undefined {
  try {
    const { incomingAuth, authorization, backends, aggregation } = exposure.plan as unknown as GatewayBundle;
    if (!isObject(incomingAuth) || !Array.isArray(backends) || !isObject(aggregation)) return undefined;
    if (!isTexts(aggregation.priorityOrder) || !backends.every(isBackend)) return undefined;
    const cedar = authorization.engine === 'cedar' ? buildCedarSide(authorization) : null;
    return { exposure, plan: { incomingAuth, backends, aggregation }, cedar };
  } catch (error) {
    // The plan comes from a file, so its members may have any value.
    if (error instanceof TypeError || error instanceof UnreadablePlanError) return undefined;
    throw error;
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(element => typeof element === 'string');
}

/** Checks only the members that names depend on. */
function isBackend({ name, tools }: ReachSide['plan']['backends'][number]): boolean {
  const { prefix, advertise, overrides } = tools;
  return (
    typeof name === 'string' &&
    typeof prefix === 'string' &&
    typeof advertise.type === 'string' &&
    (advertise.type !== 'only' || isTexts(advertise.names)) &&
    isObject(overrides) &&
    Object.values(overrides).every(
      override => isObject(override) && ['string', 'undefined'].includes(typeof override.name),
    )
  );
}

class UnreadablePlanError extends Error {}

function buildCedarSide(plan: CedarPlan): CedarSide {
  const conditions = plan.policies.map(({ text }) => {
    const [policy, ...more] = parsePolicies(text).policies;
    if (policy === undefined || more.length > 0) throw new UnreadablePlanError('a policy cannot be parsed');
    return { effect: policy.json.effect, condition: liftChoices(policy.condition) };
  });
  if (plan.policyCount !== conditions.length || plan.engine !== 'cedar')
    throw new UnreadablePlanError('policies are missing');
  const statics = new Map<string, StaticEntity>();
  for (const { uid, attrs, parents, tags } of plan.entities) {
    if (tags !== undefined || statics.has(formatEntityUid(uid)))
      throw new UnreadablePlanError('entities that are not compared');
    statics.set(formatEntityUid(uid), { attrs: attrs as StaticEntity['attrs'], parents });
  }
  if (!Array.isArray(plan.groupClaims) || !Array.isArray(plan.multiValuedClaims))
    throw new UnreadablePlanError('no claims');
  return { ...plan, conditions, statics, hasSharedClaims: true, entityTag: formatSortedJson(plan.entities) };
}
