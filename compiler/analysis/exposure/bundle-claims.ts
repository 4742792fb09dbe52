/**
 * Compares an exposure from a file with the bundle that it describes. An exposure also states what follows from the bundle: who may call what, and
 * where requests go. Without this comparison, an edited exposure could make two different bundles look equal. What only the specs and the tool lock
 * contain is not compared: the definitions and hints of backends, and the objects that describe servers.
 */
import type { GatewayBundle } from '#schemas';
import { TOOL_HINTS } from '#shared/plan';
import { describeAuthentication } from './authentication.ts';
import { describePlannedBackend } from './backends.ts';
import { grantKey, listGrants } from './caller-sets.ts';
import { listCallerClasses } from './callers.ts';
import type { ExposedBackend, ExposedTool, Exposure, Who } from './exposure.ts';
import { formatSortedJson } from './plan/sorted-json.ts';
import { findUnlisted, type PlannedItems, planItems } from './planned-items.ts';

/**
 * How an exposure disagrees with its bundle. `contradiction`: a member of the exposure says something else than the bundle. `unlisted`: the exposure
 * leaves out items of the tool lock, or hides them for a reason that the bundle does not contain.
 */
export type ClaimMismatch = { readonly type: 'contradiction'; readonly member: string } | { readonly type: 'unlisted' };

/**
 * Finds where an exposure disagrees with its bundle; undefined when it says what follows from the bundle.
 *
 * @param name of the gateway in exposures
 */
export function findMismatch(exposure: Exposure, bundle: GatewayBundle, name: string): ClaimMismatch | undefined {
  const [claimed, derived] = [readGateway(exposure), deriveGateway(bundle, name)];
  const different = findDifferent(claimed, derived);
  if (different !== undefined) return { type: 'contradiction', member: different };
  if (findUnlisted(exposure, bundle)) return { type: 'unlisted' };
  const items = planItems(exposure, bundle);
  const member =
    findDifferent(readItems(exposure), readItems(items)) ??
    (hasPlannedHints(exposure, bundle) ? undefined : 'hints') ??
    findDifferent({ callers: exposure.callers }, { callers: listCallerClasses(exposure) });
  return member === undefined ? undefined : { type: 'contradiction', member };
}

type Members = Readonly<Record<string, unknown>>;

function findDifferent(claimed: Members, derived: Members): string | undefined {
  return Object.keys(derived).find(
    member => formatSortedJson(claimed[member] ?? null) !== formatSortedJson(derived[member] ?? null),
  );
}

function readGateway({ authorization, backends, ...exposure }: Exposure): Members {
  const { namespace, name, complete, authentication, listing } = exposure;
  return {
    ...{ namespace, name, complete, authentication },
    authorization: [authorization.type, authorization.type === 'cedar' ? authorization.policies : 0],
    listing,
    backends: backends.map(({ key: _, ownSecrets: __, workload: ___, ...backend }) => withoutChoice(backend)),
  };
}

/** Stands for the object that chooses a credential, which is not compared. */
const ANY_OBJECT = { kind: '', name: '' };
const OBJECTS = { chosen: null, fixed: ANY_OBJECT, passed: ANY_OBJECT };

function deriveGateway(bundle: GatewayBundle, name: string): Members {
  const { backends, authorization, optimizer } = bundle;
  return {
    namespace: bundle.namespace,
    name,
    complete: backends.length > 0 && backends.every(({ locked }) => locked !== undefined),
    authentication: describeAuthentication({ plan: bundle }),
    authorization: [authorization.engine, authorization.policyCount],
    listing: optimizer === undefined ? 'tools' : 'optimizer',
    backends: backends.map(plan =>
      withoutChoice({
        ...describePlannedBackend({ plan: bundle }, { plan }, OBJECTS),
        locked: plan.locked !== undefined,
      }),
    ),
  };
}

/** A backend without the object that chooses its credential: bundles do not contain that object. */
function withoutChoice<B extends Pick<ExposedBackend, 'credential'>>({ credential, ...backend }: B): object {
  const { from: _, ...sent } = credential;
  return { ...backend, credential: sent };
}

/**
 * The items and their callers, in a form that can be compared with the bundle. Left out are the names of steps in a `forEach`, which bundles lack,
 * and the names of policies.
 */
function readItems({ tools, composites, prompts, resources, resourceTemplates, withheld }: PlannedItems): Members {
  const sorted = (items: readonly unknown[]) => items.map(formatSortedJson).sort();
  const uris = (items: PlannedItems['resources']) =>
    sorted(items.map(({ uri, backend, direct }) => ({ uri, backend, direct: toKey(direct) })));
  return {
    tools: sorted(
      tools.map(({ name, backend, originalName, visibility, direct, through, reach }) => ({
        ...{ name, backend, originalName, visibility, direct: toKey(direct), reach: toKey(reach) },
        through: sorted(through.map(({ composite, who }) => [composite, toKey(who)])),
      })),
    ),
    composites: sorted(
      composites.map(({ name, direct, hints, calls }) => ({
        ...{ name, direct: toKey(direct), hints },
        calls: sorted(calls.map(({ reference, tool, asks = [] }) => [reference, tool, asks])),
      })),
    ),
    prompts: sorted(
      prompts.map(({ name, backend, originalName, direct }) => ({
        name,
        backend,
        originalName,
        direct: toKey(direct),
      })),
    ),
    resources: uris(resources),
    resourceTemplates: uris(resourceTemplates),
    withheld: sorted(
      withheld
        .filter(({ reason }) => reason === 'collision' || reason === 'outranked')
        .map(({ type, name, backend, originalName, reason }) => ({ type, name, backend, originalName, reason })),
    ),
  };
}

function toKey(who: Who): readonly string[] {
  return [who.type, ...listGrants(who).map(grantKey).sort()];
}

/** Whether the hints that overrides state are those of the plan. */
function hasPlannedHints({ tools }: Exposure, { backends }: GatewayBundle): boolean {
  const plans = new Map(backends.map(({ name, tools }) => [name, tools.overrides]));
  return tools.every(({ backend, originalName, hints }: ExposedTool) => {
    const overrides = plans.get(backend) ?? {};
    const override = Object.hasOwn(overrides, originalName) ? overrides[originalName]?.annotations : undefined;
    return TOOL_HINTS.every(name => {
      const [planned, hint] = [override?.[name], hints[name]];
      if (planned === undefined) return hint === undefined || hint.from === 'backend';
      return hint?.from === 'override' && hint.value === planned;
    });
  });
}
