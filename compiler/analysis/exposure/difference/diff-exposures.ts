/** Compares two exposures, part by part. */
import { compareText } from '#schemas';
import { formatObjectKey } from '../../../diagnostics/object-key.ts';
import type { Exposure } from '../exposure.ts';
import type { RegistryExposure } from '../registry/registry-exposure.ts';
import { listAlarms, toItemChanges } from './aspect.ts';
import { diffBackends } from './backend-changes.ts';
import { diffCallers, diffReached } from './caller-changes.ts';
import { diffContent } from './content-changes.ts';
import { deriveEffect, deriveRegistryEffect } from './derived-effect.ts';
import {
  type Alarm,
  type CallerChange,
  DIFFERENCE_FORMAT_VERSION,
  type ExposureDifference,
  ITEM_TYPES,
  type ItemChange,
} from './difference.ts';
import { classifyEffect, combineEffects, mayOpen } from './effect.ts';
import { diffGatewayAspects, diffGroups, listGatewayAlarms } from './gateway-changes.ts';
import { classifyLeaves, withLeaves } from './plan-changes.ts';
import { compareItemReach, type ItemReach } from './reach/item-reach.ts';
import { listUnknownChanges } from './reach-aspects.ts';
import { diffRegistryPlans } from './registry-changes.ts';
import { withStepAlarms } from './step-alarms.ts';
import { diffComposites, diffTools } from './tool-changes.ts';
import { diffEmbeddingServers } from './workload-changes.ts';

type AnyExposure = Exposure | RegistryExposure;

/**
 * The difference of one gateway or registry server; null means that it does not exist on that side.
 *
 * @throws TypeError when both are null or of different kinds, which is a bug of the calling code
 */
export function diffExposure(before: AnyExposure | null, after: AnyExposure | null): ExposureDifference {
  const one = after ?? before;
  if (one === null) throw new TypeError('a difference needs an exposure');
  if (before !== null && after !== null && formatObjectKey(before) !== formatObjectKey(after))
    throw new TypeError(`${formatObjectKey(before)} and ${formatObjectKey(after)} are not the same thing`);
  const { kind, namespace, name } = one;
  const reach = compareItemReach(asGateway(before), asGateway(after));
  const items = isGateway(one)
    ? diffGateways(asGateway(before), asGateway(after), reach)
    : diffRegistries(before, after);
  const changes = withPlans(items, before, after, reach).toSorted(
    (a, b) => ITEM_TYPES.indexOf(a.type) - ITEM_TYPES.indexOf(b.type) || compareText(a.name, b.name),
  );
  return {
    formatVersion: DIFFERENCE_FORMAT_VERSION,
    kind,
    namespace,
    name,
    change: before === null ? 'added' : after === null ? 'removed' : changes.length === 0 ? 'none' : 'changed',
    classification: classifyEffect(combineEffects(changes.map(({ effect }) => effect))),
    complete: [before, after].every(side => side === null || !isGateway(side) || side.complete),
    callers: listCallerChanges(asGateway(before), asGateway(after), changes, reach),
    changes,
  };
}

/** Adds the differences of the plans that no other comparison covers. */
function withPlans(
  items: readonly ItemChange[],
  before: AnyExposure | null,
  after: AnyExposure | null,
  reach: ItemReach | undefined,
): readonly ItemChange[] {
  if (before === null || after === null) return items;
  if (before.plan === undefined || after.plan === undefined) return [...items, createUnknownPlanChange(before, after)];
  const leaves = classifyLeaves(before, after, leaf =>
    isGateway(before) && isGateway(after)
      ? deriveEffect(leaf, before, after, reach)
      : deriveRegistryEffect(leaf, items, [before, after].filter(isRegistry)),
  );
  const changes = withLeaves(items, leaves, after);
  return isGateway(before) && isGateway(after) ? withStepAlarms(changes, before, after) : changes;
}

/** The change to report when one exposure was written by a version without plans. */
function createUnknownPlanChange(before: AnyExposure, { kind, name, plan }: AnyExposure): ItemChange {
  const text = (isKnown: boolean) => (isKnown ? 'known' : 'not known: written by an earlier version of lintel');
  const aspect = {
    name: 'plan',
    before: text(before.plan !== undefined),
    after: text(plan !== undefined),
    effect: 'unclassified' as const,
  };
  const type = kind === 'gateway' ? ('gateway' as const) : ('registry server' as const);
  return { type, name, change: 'changed', effect: 'unclassified', alarms: [], aspects: [aspect] };
}

function listCallerChanges(
  before: Exposure | null,
  after: Exposure | null,
  changes: readonly ItemChange[],
  reach: ItemReach | undefined,
): readonly CallerChange[] {
  if (reach === undefined || before === null || after === null) return diffCallers(before, after, changes);
  return diffReached(before, after, changes, reach);
}

/** Compares all exposures, sorted by kind, namespace and name; includes those without a difference. */
export function diffExposures(
  before: readonly AnyExposure[],
  after: readonly AnyExposure[],
): readonly ExposureDifference[] {
  const [old, now] = [before, after].map(all => new Map(all.map(exposure => [formatObjectKey(exposure), exposure])));
  const keys = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort(compareText);
  return keys.map(key => diffExposure(old?.get(key) ?? null, now?.get(key) ?? null));
}

function isGateway(exposure: AnyExposure): exposure is Exposure {
  return exposure.kind === 'gateway';
}

function isRegistry(exposure: AnyExposure): exposure is RegistryExposure {
  return !isGateway(exposure);
}

function asGateway(exposure: AnyExposure | null): Exposure | null {
  return exposure !== null && isGateway(exposure) ? exposure : null;
}

function diffGateways(
  before: Exposure | null,
  after: Exposure | null,
  reach: ItemReach | undefined,
): readonly ItemChange[] {
  const reached = [
    ...diffTools(before, after, reach),
    ...diffComposites(before, after, reach),
    ...diffContent(before, after, reach),
    ...listUnknownChanges(reach),
  ];
  const groups = diffGroups(before, after, combineEffects(reached.map(({ effect }) => effect)));
  const embedding = before === null || after === null ? [] : diffEmbeddingServers(before, after);
  const aspects = [...diffGatewayAspects(before, after), ...groups, ...embedding];
  const own = listGatewayAlarms(before, after);
  const ofCallers = own.length === 0 && groups.some(({ effect }) => mayOpen(effect)) ? OTHERS : own;
  const alarms = [...ofCallers, ...listAlarms(embedding)];
  const name = (after ?? before)?.name ?? '';
  const gateway: readonly ItemChange[] =
    before !== null && after !== null
      ? toItemChanges('gateway', name, aspects, alarms)
      : [
          {
            type: 'gateway',
            name,
            change: before === null ? 'added' : 'removed',
            effect: before === null ? 'wider' : 'narrower',
            alarms,
            aspects,
          },
        ];
  return [...gateway, ...reached, ...diffBackends(before, after)];
}

const OTHERS: readonly Alarm[] = ['otherCallers'];

function diffRegistries(before: AnyExposure | null, after: AnyExposure | null): readonly ItemChange[] {
  const side = (exposure: AnyExposure | null) => (exposure !== null && !isGateway(exposure) ? exposure : null);
  return diffRegistryPlans(side(before), side(after));
}
