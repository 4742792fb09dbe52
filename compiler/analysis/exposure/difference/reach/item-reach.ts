/**
 * Which callers reached the tools, workflows, prompts and resources before, which reach them now, and what changes for items that the tool
 * lock does not know.
 */
import { type CedarAction, isAdvertised } from '#shared/plan';
import type { ExposedCall, ExposedComposite, ExposedTool, Exposure, Hints } from '../../exposure.ts';
import { formatSortedJson } from '../../plan/sorted-json.ts';
import type { CallerReading, Effect, ItemType } from '../difference.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import { Reach, type ReachChange, TooLarge } from './reach.ts';
import type { ReachSide } from './side.ts';
import type { AnyTarget, NamedTarget } from './target.ts';

type SideName = 'before' | 'after';

/** Items with unknown names, and what changes for them. */
export interface UnknownChange extends ReachChange {
  readonly type: ItemType;
  /** The items in words, such as `any other tool of backend github`. */
  readonly name: string;
  /** Whether the items may have other names now. */
  readonly isRenamed: boolean;
}

export interface ItemReach {
  readonly sides: Reach['sides'];
  tool(was: ExposedTool | undefined, is: ExposedTool | undefined): ReachChange;
  /** Compares the callers of an item with a name. */
  named(action: CedarAction, was: NamedItem | undefined, is: NamedItem | undefined): ReachChange;
  /** Compares the callers of every URI that a template matches. */
  template(was: string | undefined, is: string | undefined): ReachChange;
  /** Whether some caller reaches the item on both sides, and so notices that it is different. */
  readonly keeps: {
    tool(was: ExposedTool, is: ExposedTool): boolean;
    named(action: CedarAction, was: NamedItem, is: NamedItem): boolean;
    template(was: string, is: string): boolean;
  };
  /** The effect on callers of tools or prompts when one of these names may now lead to another item, or to none. */
  names(action: 'call_tool' | 'get_prompt', names: readonly string[]): Effect;
  /** The effect on all items of an action when each of them may be another item now. */
  any(action: CedarAction): Effect;
  /** The effect of a changed description of a tool whose names are the same on both sides. */
  described(backend: string, tool: string, names: readonly string[]): Effect;
  /** Changes for items that the tool lock does not know. */
  readonly unknown: readonly UnknownChange[];
  /** See `Reach.findReading`. */
  findReading(who: string): CallerReading | undefined;
}

export interface NamedItem {
  readonly name: string;
  readonly hints?: Hints;
  /** The calls of a workflow. */
  readonly calls?: readonly ExposedCall[];
}

/** Compares two exposures; undefined when the callers of one of them are unknown. */
export function compareItemReach(before: Exposure | null, after: Exposure | null): ItemReach | undefined {
  const reach = Reach.between(before, after);
  if (reach === undefined || before === null || after === null) return undefined;
  const sides = { before, after };
  const permits = (side: SideName, action: CedarAction, item: NamedItem): Fn => {
    const { name, hints = {} } = item;
    const stated = Object.entries(hints).flatMap(([name, hint]) =>
      hint === undefined ? [] : [[name, hint.value] as const],
    );
    const target: NamedTarget = {
      type: 'named',
      action,
      name,
      hints: Object.fromEntries(stated),
      derivedFrom: formatCalledTools(item),
    };
    return reach.permits(side, target);
  };
  const findWorkflow = (side: SideName, name: string) =>
    sides[side].composites.find(composite => composite.name === name);
  const ofTool = (side: SideName, tool: ExposedTool | undefined): Fn => {
    if (tool === undefined) return FALSE;
    const direct = tool.visibility === 'advertised' ? permits(side, 'call_tool', tool) : FALSE;
    const workflows = tool.through.flatMap(
      ({ composite }) => sides[side].composites.find(({ name }) => name === composite) ?? [],
    );
    const through = workflows.map((workflow: ExposedComposite) => permits(side, 'call_tool', workflow));
    return reach.facts.diagrams.or(direct, ...through);
  };
  const guarded = (compare: () => ReachChange): ReachChange => {
    try {
      return compare();
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      return { effect: 'mixed', gained: [error.message], lost: [error.message] };
    }
  };
  const isKept = (before: () => Fn, after: () => Fn): boolean => {
    try {
      return reach.isPossible(reach.facts.diagrams.and(before(), after()));
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      return true;
    }
  };
  const ofTemplate = (side: SideName, template: string | undefined): Fn =>
    template === undefined ? FALSE : reach.permits(side, toTemplateTarget(template, sides));
  // Shortcut for the common case: a change that leaves the rules and most items as they are needs no comparison.
  const hasSameRules = isSameRules(reach);
  const isSame = (was: unknown, is: unknown) =>
    hasSameRules && formatSortedJson(was ?? null) === formatSortedJson(is ?? null);
  const reached = (side: SideName, tool: ExposedTool | undefined) =>
    tool && [
      tool.visibility,
      tool.name,
      tool.hints,
      tool.through.map(({ composite }) => findWorkflow(side, composite)),
    ];
  return {
    sides: reach.sides,
    tool: (was, is) =>
      isSame(reached('before', was), reached('after', is))
        ? UNCHANGED
        : guarded(() => reach.compare(ofTool('before', was), ofTool('after', is))),
    named: (action, was, is) =>
      isSame(was && [was.name, was.hints, formatCalledTools(was)], is && [is.name, is.hints, formatCalledTools(is)])
        ? UNCHANGED
        : guarded(() => {
            const side = (name: SideName, item: NamedItem | undefined) =>
              item === undefined ? FALSE : permits(name, action, item);
            return reach.compare(side('before', was), side('after', is));
          }),
    template: (was, is) =>
      isSame(was, is) ? UNCHANGED : guarded(() => reach.compare(ofTemplate('before', was), ofTemplate('after', is))),
    keeps: {
      tool: (was, is) =>
        isKept(
          () => ofTool('before', was),
          () => ofTool('after', is),
        ),
      named: (action, was, is) =>
        isKept(
          () => permits('before', action, was),
          () => permits('after', action, is),
        ),
      template: (was, is) =>
        isKept(
          () => ofTemplate('before', was),
          () => ofTemplate('after', is),
        ),
    },
    names: (action, names) => combineSides(side => mayReach(reach, sides[side], side, { action, names })),
    any: action => combineSides(side => mayReach(reach, sides[side], side, { action })),
    described: (backend, tool, names) =>
      combineSides(side => {
        const plan = reach.sides[side].plan.backends.find(({ name }) => name === backend)?.tools;
        const isNever = plan === undefined || isWithheld(sides[side], backend, tool) || !isAdvertised(plan, tool);
        const isCalled = sides[side].composites.some(({ calls }) => calls.some(call => call.tool === null));
        return isCalled || (!isNever && mayReach(reach, sides[side], side, { action: 'call_tool', names }));
      }),
    unknown: listUnknownChanges(reach, sides, guarded),
    findReading: who => reach.findReading(who),
  };
}

/** The tools that a workflow calls, as its steps name them; null when the tool lock has all of them, and so their hints. */
function formatCalledTools({ calls = [] }: NamedItem): string | null {
  return calls.every(({ tool }) => tool !== null)
    ? null
    : formatSortedJson([...new Set(calls.map(({ reference }) => reference))].sort());
}

/** The effect on callers who reach something on both sides. An item that only one side reaches was simply added or removed. */
function combineSides(isReached: (side: SideName) => boolean): Effect {
  const [was, is] = [isReached('before'), isReached('after')];
  if (was && is) return 'mixed';
  if (is) return 'wider';
  return was ? 'narrower' : 'same';
}

/** Whether some caller may reach an item of an action, under one of these names or under any name. */
function mayReach(
  reach: Reach,
  { composites }: Exposure,
  side: SideName,
  { action, names }: { readonly action: CedarAction; readonly names?: readonly string[] },
): boolean {
  const { backends } = reach.sides[side].plan;
  const isOffered = action !== 'call_tool' || backends.some(({ tools }) => tools.advertise.type !== 'none');
  if (!isOffered && composites.length === 0) return false;
  try {
    const mayBe = (name: string) => names?.includes(name) ?? true;
    return reach.isPossible(reach.permits(side, { type: 'any', action, mayBe, prefix: '' }));
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return true;
  }
}

/** Whether a tool gets no name because another tool in the lock has it. */
function isWithheld({ withheld }: Exposure, backend: string, tool: string): boolean {
  return withheld.some(
    entry =>
      entry.type === 'tool' &&
      entry.backend === backend &&
      entry.originalName === tool &&
      (entry.reason === 'outranked' || entry.reason === 'collision'),
  );
}

const UNCHANGED: ReachChange = { effect: 'same', gained: [], lost: [] };

/** Whether both sides admit the same callers, and the same policies mean the same. */
function isSameRules({ sides: { before, after } }: Reach): boolean {
  const rules = ({ plan, cedar }: ReachSide) =>
    formatSortedJson([plan.incomingAuth.type, cedar && { ...cedar, statics: null }]);
  return rules(before) === rules(after);
}

function listUnknownChanges(
  reach: Reach,
  sides: { readonly before: Exposure; readonly after: Exposure },
  guarded: (compare: () => ReachChange) => ReachChange,
): readonly UnknownChange[] {
  const { before, after } = reach.sides;
  const both = (target: AnyTarget, visible: (side: SideName) => Fn = side => reach.permits(side, target)) =>
    guarded(() => reach.compare(visible('before'), visible('after')));
  // If one side reaches nothing, every change is an addition or a removal, for all names.
  const isReached = (action: CedarAction) =>
    mayReach(reach, sides.before, 'before', { action }) && mayReach(reach, sides.after, 'after', { action });
  const areToolsReached = isReached('call_tool');
  const isNamedAlike =
    before.plan.aggregation.strategy === after.plan.aggregation.strategy &&
    before.plan.aggregation.priorityOrder?.join('\n') === after.plan.aggregation.priorityOrder?.join('\n');
  const found: UnknownChange[] = [];
  const tools = listCommonNames(sides, ({ tools, composites }) => [...tools, ...composites]);
  for (const was of before.plan.backends) {
    const is = after.plan.backends.find(({ name }) => name === was.name);
    if (is === undefined) continue;
    const { strategy } = before.plan.aggregation;
    const isRenamed = !isNamedAlike || (was.tools.prefix !== is.tools.prefix && strategy !== 'manual');
    const start = !isRenamed && strategy === 'prefix' ? was.tools.prefix : '';
    const target: AnyTarget = {
      type: 'any',
      action: 'call_tool',
      mayBe: name => !tools.has(name) && name.startsWith(start),
      prefix: start,
    };
    const change = both(target, side => {
      const { tools, pinned } = side === 'before' ? was : is;
      // A workflow that calls a tool outside of the lock is withheld.
      if (pinned !== undefined) return FALSE;
      const shown = toAdvertised(reach, target, tools.advertise, { strategy, prefix: start, backend: was.name });
      return shown === FALSE ? FALSE : reach.facts.diagrams.and(shown, reach.permits(side, target));
    });
    const name = `any other tool of backend ${was.name}`;
    found.push({ ...change, type: 'tool', name, isRenamed: isRenamed && areToolsReached });
  }
  // The prefix of a backend's prompts. It does not depend on the strategy for tool names.
  const findPrefix = (side: ReachSide, name: string) =>
    side.plan.backends.find(backend => backend.name === name)?.tools.prefix;
  const arePromptsRenamed =
    !isNamedAlike ||
    before.plan.backends.some(({ name, tools: { prefix } }) => (findPrefix(after, name) ?? prefix) !== prefix);
  const other = (type: ItemType, action: CedarAction, known: ReadonlySet<string>, isRenamed: boolean) => {
    if (before.plan.backends.length === 0 || after.plan.backends.length === 0) return;
    const change = both({ type: 'any', action, mayBe: name => !known.has(name), prefix: '' });
    found.push({ ...change, type, name: `any other ${type}`, isRenamed: isRenamed && isReached(action) });
  };
  other(
    'prompt',
    'get_prompt',
    listCommonNames(sides, ({ prompts }) => prompts),
    arePromptsRenamed,
  );
  other('resource', 'read_resource', listUris(sides), false);
  return found.filter(({ effect, isRenamed }) => effect !== 'same' || isRenamed);
}

/** The condition under which an unknown tool is shown, by its name. */
function toAdvertised(
  reach: Reach,
  target: AnyTarget,
  advertise: { readonly type: string; readonly names?: readonly string[] },
  { strategy, prefix, backend }: { readonly strategy: string; readonly prefix: string; readonly backend: string },
): Fn {
  if (advertise.type === 'all') return TRUE;
  if (advertise.type !== 'only') return FALSE;
  const names = advertise.names ?? [];
  const isExact = strategy === 'manual' || prefix !== '';
  const facts = names
    .map(name => (isExact ? prefix + name : name))
    .filter(name => !isExact || target.mayBe(name))
    .map(name => {
      const term = isExact ? 'resource name' : `own name of a tool of ${backend}`;
      const text = isExact ? `resource.name == ${JSON.stringify(name)}` : `${term} == ${JSON.stringify(name)}`;
      return reach.facts.getVariable(text, { kind: 'equals', term, value: JSON.stringify(name) });
    });
  return reach.facts.diagrams.or(...facts);
}

function toTemplateTarget(template: string, sides: { readonly before: Exposure; readonly after: Exposure }): AnyTarget {
  const [prefix = ''] = template.split('{');
  const known = listUris(sides);
  return {
    type: 'any',
    action: 'read_resource',
    mayBe: name => name.startsWith(prefix) && !known.has(name),
    prefix,
  };
}

/** URIs of listed resources, which are compared individually. */
function listUris(sides: { readonly before: Exposure; readonly after: Exposure }): ReadonlySet<string> {
  return new Set(
    sides.before.resources.map(({ uri }) => uri).filter(uri => sides.after.resources.some(other => other.uri === uri)),
  );
}

/** Names that exist on both sides. */
function listCommonNames(
  { before, after }: { readonly before: Exposure; readonly after: Exposure },
  items: (exposure: Exposure) => readonly { readonly name: string }[],
): ReadonlySet<string> {
  const now = new Set(items(after).map(({ name }) => name));
  return new Set(items(before).flatMap(({ name }) => (now.has(name) ? [name] : [])));
}
