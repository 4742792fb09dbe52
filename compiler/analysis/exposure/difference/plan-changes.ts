/** The differences between the plans of two exposures, as changes of the objects that the leaves belong to. */
import type { Exposure } from '../exposure.ts';
import { diffLeaves, type LeafDifference } from '../plan/diff-leaves.ts';
import { GATEWAY_LEAVES } from '../plan/gateway-leaves.ts';
import type { Leaves } from '../plan/leaf.ts';
import { REGISTRY_LEAVES } from '../plan/registry-leaves.ts';
import { formatSortedJson } from '../plan/sorted-json.ts';
import type { RegistryExposure } from '../registry/registry-exposure.ts';
import { listAlarms, withAlarm } from './aspect.ts';
import { cutPair } from './cut-pair.ts';
import type { Alarm, Aspect, Effect, ItemChange, ItemType } from './difference.ts';
import { combineEffects, mayOpen } from './effect.ts';
import { describeStep } from './step-words.ts';

type AnyExposure = Exposure | RegistryExposure;

/** Maximum length of a displayed value, in characters. A value that caused an alarm is displayed whole. */
const MAX_VALUE = 200;

export interface ClassifiedLeaf extends LeafDifference {
  readonly effect: Effect;
}

/** @param derived gives the effect of leaves whose meaning shows only in the items that callers reach */
export function classifyLeaves(
  before: AnyExposure,
  after: AnyExposure,
  derived: (leaf: LeafDifference) => Effect,
): readonly ClassifiedLeaf[] {
  const leaves: Leaves = after.kind === 'gateway' ? GATEWAY_LEAVES : REGISTRY_LEAVES;
  return diffLeaves(before.plan, after.plan, leaves).map(leaf => {
    const effect = leaf.comparison?.effect ?? 'unclassified';
    if (effect === 'unclassified') return { ...leaf, effect };
    return { ...leaf, effect: effect === 'derived' ? derived(leaf) : effect(leaf) };
  });
}

/** Adds leaf changes to changes of the same objects. Leaves without a meaning are left out. */
export function withLeaves(
  changes: readonly ItemChange[],
  leaves: readonly ClassifiedLeaf[],
  { kind, name }: AnyExposure,
): readonly ItemChange[] {
  const shown = leaves.filter(
    ({ comparison, effect }) =>
      effect !== 'same' || (comparison?.meaning !== 'none' && comparison?.effect !== 'derived'),
  );
  const result = [...changes];
  const whole = { type: kind === 'gateway' ? ('gateway' as const) : ('registry server' as const), name };
  for (const [, group] of Map.groupBy(shown, leaf => JSON.stringify(findOwner(leaf.path) ?? whole))) {
    const owner = findOwner(group[0]?.path ?? '') ?? whole;
    const at = result.findIndex(({ type, name }) => type === owner.type && name === owner.name);
    const known = result[at];
    const found = group.map(leaf => ({ leaf, aspect: toAspect(leaf) }));
    const isCoveredBy = (other: Aspect) => found.filter(({ leaf, aspect }) => covers(other, aspect, leaf));
    const aspects = [
      ...(known?.aspects ?? []).map(aspect =>
        withAlarm(aspect, aspect.alarm ?? listAlarms(isCoveredBy(aspect).map(toOwn))[0]),
      ),
      ...found
        .filter(({ leaf, aspect }) => known?.aspects.some(other => covers(other, aspect, leaf)) !== true)
        .map(toOwn),
    ];
    const effect = combineEffects([known?.effect ?? 'same', ...aspects.map(readEffect)]);
    const callers: readonly Alarm[] = group.some(decidesCallers) ? ['otherCallers'] : [];
    const alarms = new Set([...callers, ...(known?.alarms ?? []), ...listAlarms(aspects)]);
    // If no token is required any more, the alarm `anonymous` says more than `otherCallers`.
    if (alarms.has('anonymous')) alarms.delete('otherCallers');
    const change = { ...(known ?? { ...owner, change: 'changed' }), effect, alarms: [...alarms], aspects };
    if (known === undefined) result.push(change);
    else result[at] = change;
  }
  return result;
}

/** The leaves that decide callers' identities: identity providers, and the authorization server of the gateway. */
const IDENTITY = /^(?:incomingAuth|authServer|auth|authorization\.primaryUpstream)(?:[.[]|$)/;
/** In these leaves, credentials also decide callers' identities: the client that tokens are for, and the keys that sign them. */
const CLIENT_OR_KEY = /clientId$|\.(?:signingKeys|hmacSecrets)\b/;

/** Whether the change may admit other callers, or identify them differently. A leaf without a meaning in the tables may do so. */
function decidesCallers({ pattern, comparison, effect }: ClassifiedLeaf): boolean {
  if (!mayOpen(effect) || !IDENTITY.test(pattern)) return false;
  const meaning = comparison?.meaning ?? 'access';
  return meaning === 'access' || meaning === 'trust' || CLIENT_OR_KEY.test(pattern);
}

const toOwn = ({ aspect }: { readonly aspect: Aspect }): Aspect => aspect;

const readEffect = ({ effect }: Aspect): Effect => effect;

/** Whether an aspect that is already reported says the same as a leaf. For example, the aspect `credential` also names the type of the credential. */
function covers(known: Aspect, { name, effect }: Aspect, { comparison, pattern, was, is }: LeafDifference): boolean {
  if (known.effect !== effect) return false;
  if (known.name === name) return true;
  if (known.name === 'gets in' && pattern === 'incomingAuth.requiredScopes') return true;
  // The aspect does not state the issuer and audience of every provider. So it only covers a leaf whose values it states.
  if (known.name === 'gets in' && /^incomingAuth\.providers\[\]\.(?:issuer|audience)$/.test(pattern))
    return statesValue(known.before, was) && statesValue(known.after, is);
  if (known.name === 'credential') return comparison?.meaning === 'credential' && name === 'auth.type';
  return known.name === 'headers' && name.startsWith('headers[');
}

function statesValue(text: string | null, value: unknown): boolean {
  return typeof value === 'string' && text?.split(/[ ,]+/).includes(value) === true;
}

/** The list item that a path begins with. */
function findOwner(path: string): { readonly type: ItemType; readonly name: string } | undefined {
  const [, list = '', name = ''] =
    /^(backends|workflows|sources|registries|auth\.providers)\[([^\]]*)\]/.exec(path) ?? [];
  const type = OWNERS[list];
  return type === undefined ? undefined : { type, name };
}

const OWNERS: { readonly [list: string]: ItemType } = {
  backends: 'backend',
  workflows: 'workflow',
  sources: 'source',
  registries: 'registry',
  'auth.providers': 'provider',
};

function toAspect(leaf: ClassifiedLeaf): Aspect {
  const { effect, comparison } = leaf;
  const { name, was, is } = describeStep(leaf) ?? { ...leaf, name: comparison?.part ?? toPathInOwner(leaf.path) };
  const [before, after] = [formatLeafValue(was), formatLeafValue(is)];
  const alarm = findAlarm(leaf);
  if (alarm !== undefined) return { name, before, after, effect, alarm };
  const [cutBefore, cutAfter] = cutPair(before, after, MAX_VALUE);
  return { name, before: cutBefore, after: cutAfter, effect };
}

function toPathInOwner(path: string): string {
  const location = path.replace(/^(?:backends|workflows|sources|registries|auth\.providers)\[[^\]]*\]\.?/, '');
  return location === '' ? 'is there' : location;
}

/** A changed credential without a meaning in the tables may have any effect. */
function findAlarm(leaf: ClassifiedLeaf): Alarm | undefined {
  if (leaf.comparison === undefined) return leaf.pattern.startsWith('backends[].auth') ? 'otherCredential' : undefined;
  return leaf.comparison.alarm?.(leaf);
}

function formatLeafValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : formatSortedJson(value);
}
