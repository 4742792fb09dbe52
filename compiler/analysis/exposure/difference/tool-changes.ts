/** Changes of tools and workflows, which clients call. */

import { NO_CALLERS } from '../caller-sets.ts';
import type { ExposedComposite, ExposedTool, Exposure, Hints, Who } from '../exposure.ts';
import { formatAudiences } from '../format-who.ts';
import { formatHints } from '../render/words.ts';
import { listText, toAspects, withAlarm } from './aspect.ts';
import type { Alarm, Aspect, Effect, ItemChange, ItemType } from './difference.ts';
import { combineEffects, compareAudiences } from './effect.ts';
import { diffAdmission, isAnonymous } from './gateway-changes.ts';
import { pairItems } from './pairs.ts';
import type { ItemReach } from './reach/item-reach.ts';
import type { ReachChange } from './reach/reach.ts';
import { reachAspects } from './reach-aspects.ts';
import { compareHints, isNewlyCalledSafer, isUnannotated, mayDestroy } from './tool-hints.ts';

/** Members that tools and workflows have in common. */
interface Callable {
  readonly name: string;
  readonly hints: Hints;
  readonly digest: string;
  readonly reach: Who;
}

interface GatewaySides {
  readonly before: Exposure | null;
  readonly after: Exposure | null;
  /** Whether some caller may reach the tool on both sides, so that a changed definition matters. */
  readonly isKept: boolean;
  renaming(was: Callable, is: Callable): Effect;
}

/** Changes of tools. They are paired by backend and original name, then by client-visible name. */
export function diffTools(
  before: Exposure | null,
  after: Exposure | null,
  reach: ItemReach | undefined,
): readonly ItemChange[] {
  const keys = { before: mapBackendKeys(before), after: mapBackendKeys(after) };
  const origin = ({ backend, originalName }: ExposedTool, side: 'before' | 'after') =>
    JSON.stringify([keys[side].get(backend) ?? backend, originalName]);
  const pairs = pairItems(before?.tools ?? [], after?.tools ?? [], origin, ({ name }) => name);
  const originText = (tool: ExposedTool | undefined) =>
    tool === undefined ? null : `${tool.originalName} of ${tool.backend}`;
  return pairs.flatMap(([was, is]) => {
    const isKept = was === undefined || is === undefined || (reach?.keeps.tool(was, is) ?? true);
    const moved =
      was !== undefined && is !== undefined && origin(was, 'before') !== origin(is, 'after')
        ? toAspects('comes from', originText(was), originText(is), isKept ? 'mixed' : 'same')
        : [];
    const aspects = [
      ...moved,
      ...(was === undefined || is === undefined
        ? toAspects('comes from', originText(was), originText(is), 'same')
        : []),
      ...(was !== undefined && is !== undefined
        ? toAspects('listed', formatVisibility(was), formatVisibility(is), 'same')
        : []),
      ...diffAudiences(was?.direct, is?.direct, reach?.named('call_tool', toVisibleTool(was), toVisibleTool(is))),
      ...diffReach(was, is, reach?.tool(was, is)),
    ];
    return change('tool', was, is, aspects, { before, after, isKept, renaming: toRenaming(reach) });
  });
}

/** Returns the effect that renaming a tool has on the callers who use its old or new name. */
function toRenaming(reach: ItemReach | undefined): GatewaySides['renaming'] {
  return (was, is) => reach?.names('call_tool', [was.name, is.name]) ?? 'mixed';
}

export function diffComposites(
  before: Exposure | null,
  after: Exposure | null,
  reach: ItemReach | undefined,
): readonly ItemChange[] {
  const pairs = pairItems(before?.composites ?? [], after?.composites ?? [], ({ name }) => name);
  const callable = (composite: ExposedComposite | undefined) => composite && { ...composite, reach: composite.direct };
  return pairs.flatMap(([was, is]) => {
    const aspects = [
      ...diffAudiences(was?.direct, is?.direct, reach?.named('call_tool', was, is)),
      ...toAspects(
        'calls',
        formatCalls(was),
        formatCalls(is),
        was !== undefined && is !== undefined ? 'mixed' : 'same',
      ),
    ];
    const isKept = was === undefined || is === undefined || (reach?.keeps.named('call_tool', was, is) ?? true);
    return change('workflow', callable(was), callable(is), aspects, { before, after, isKept, renaming: () => 'mixed' });
  });
}

function change(
  type: ItemType,
  was: Callable | undefined,
  is: Callable | undefined,
  more: readonly Aspect[],
  gateway: GatewaySides,
): readonly ItemChange[] {
  const one = is ?? was;
  if (one === undefined) return [];
  const isBoth = was !== undefined && is !== undefined;
  const isRenamed = isBoth && was.name !== is.name;
  const isOpen = isBoth && was.reach.type !== 'nobody' && is.reach.type !== 'nobody';
  const aspects = [
    ...diffDefinitions(was, is, gateway.isKept),
    ...more,
    ...diffAdmission(gateway.before, gateway.after, isOpen),
  ];
  if (aspects.length === 0 && !isRenamed) return [];
  const effect = combineEffects([
    ...aspects.map(({ effect }) => effect),
    isRenamed ? gateway.renaming(was, is) : 'same',
  ]);
  return [
    {
      type,
      name: one.name,
      ...(isRenamed ? { formerName: was.name } : {}),
      change: was === undefined ? 'added' : is === undefined ? 'removed' : isRenamed ? 'renamed' : 'changed',
      effect,
      alarms: listCallableAlarms(was, is, effect, gateway),
      aspects,
    },
  ];
}

/** The digest covers the name, so the digest of a renamed tool is not compared. */
function diffDefinitions(was: Callable | undefined, is: Callable | undefined, isKept: boolean): readonly Aspect[] {
  const hints = (value: Callable | undefined) => (value === undefined ? null : formatHints(value.hints));
  const safer = is !== undefined && isSafer(was, is) ? ('calledSafer' as const) : undefined;
  const alarmed = (all: readonly Aspect[]) => all.map(aspect => withAlarm(aspect, safer));
  if (was === undefined || is === undefined) return alarmed(toAspects('hints', hints(was), hints(is), 'same'));
  const ranked = isKept ? compareHints(was.hints, is.hints) : 'same';
  const words = alarmed(toAspects('hints', hints(was), hints(is), ranked));
  if (was.name !== is.name || was.digest === is.digest) return words;
  // A description may contain anything, independent of the tool's hints, and models follow it.
  const effect = isKept ? 'mixed' : 'same';
  return [...toAspects('definition', shortenDigest(was.digest), shortenDigest(is.digest), effect), ...words];
}

function diffAudiences(was: Who | undefined, is: Who | undefined, change: ReachChange | undefined): readonly Aspect[] {
  return reachAspects('may call', formatAudiences(was, is), change, () =>
    compareAudiences(was ?? NO_CALLERS, is ?? NO_CALLERS),
  );
}

/** The tool, if clients can call it under its own name; undefined otherwise. */
function toVisibleTool(tool: ExposedTool | undefined): ExposedTool | undefined {
  return tool?.visibility === 'advertised' ? tool : undefined;
}

/** The aspect of who reaches a tool, including access through workflows, whose steps are not authorized again. */
function diffReach(
  was: ExposedTool | undefined,
  is: ExposedTool | undefined,
  change: ReachChange | undefined,
): readonly Aspect[] {
  const paths = (tool: ExposedTool | undefined) =>
    listText((tool?.through ?? []).map(({ composite, step }) => `${composite} → ${step}`));
  const reach = (tool: ExposedTool | undefined) => (tool === undefined ? undefined : tool.reach);
  const effect = () => compareAudiences(reach(was) ?? NO_CALLERS, reach(is) ?? NO_CALLERS);
  const isByName = [was, is].every(tool => {
    const [ways, direct] = formatAudiences(tool?.reach, tool?.direct);
    return ways === direct;
  });
  return [
    ...(isByName ? [] : reachAspects('reached by', formatAudiences(reach(was), reach(is)), change, effect)),
    ...toAspects('through', paths(was), paths(is), 'same'),
  ];
}

function listCallableAlarms(
  was: Callable | undefined,
  is: Callable | undefined,
  effect: Effect,
  { before, after }: { readonly before: Exposure | null; readonly after: Exposure | null },
): readonly Alarm[] {
  const isOpen = (value: Callable | undefined) => value !== undefined && value.reach.type !== 'nobody';
  if (is === undefined || !isOpen(is)) return [];
  const isNewToAnonymous = isAnonymous(after) && !(isAnonymous(before) && isOpen(was));
  const found: Alarm[] = isNewToAnonymous ? ['anonymous'] : [];
  if ((effect === 'wider' || effect === 'mixed') && mayDestroy(is.hints))
    found.push(isUnannotated(is.hints) ? 'unannotated' : 'destructive');
  if (isSafer(was, is)) found.push('calledSafer');
  return found;
}

/** Whether some caller can reach the tool and the spec now calls it safer than its backend does. */
function isSafer(was: Callable | undefined, is: Callable): boolean {
  return is.reach.type !== 'nobody' && isNewlyCalledSafer(was?.hints, is.hints);
}

function mapBackendKeys(exposure: Exposure | null): ReadonlyMap<string, string> {
  return new Map(exposure?.backends.map(({ name, key }) => [name, key]));
}

function formatCalls(composite: ExposedComposite | undefined): string | null {
  return listText((composite?.calls ?? []).map(({ step, tool, reference }) => `${step}: ${tool ?? reference}`));
}

function formatVisibility({ visibility }: ExposedTool): string {
  return visibility === 'advertised' ? 'yes' : 'no, hidden';
}

/** The beginning of a digest, which is enough to distinguish two digests. */
export function shortenDigest(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 12);
}
