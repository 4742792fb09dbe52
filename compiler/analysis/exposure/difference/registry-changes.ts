/** Changes of a registry server: which callers are admitted, which route answers them, and where entries come from. */
import type { ClaimMap } from '#schemas';
import { combineRequirements, doFit, formatClaims } from '../registry/claim-requirements.ts';
import type {
  ClaimRequirement,
  ExposedRoute,
  ExposedSource,
  RegistryAuthorization,
  RegistryCaller,
  RegistryExposure,
  RouteDecision,
  SentCredential,
} from '../registry/registry-exposure.ts';
import { formatSentCredential } from '../render/registry-sections.ts';
import { listAlarms, listText, toAspects, toItemChanges, withAlarm } from './aspect.ts';
import type { Alarm, Aspect, Effect, ItemChange, ItemType } from './difference.ts';
import { combineEffects, mayOpen, rankEffect } from './effect.ts';
import { findNewCredential, listSecretsOf } from './new-credentials.ts';
import { pairItems } from './pairs.ts';
import { readOrigin } from './read-origin.ts';
import { compareVisibleSources, diffSources } from './source-changes.ts';

type RegistrySide = RegistryExposure | null;

export function diffRegistryPlans(before: RegistrySide, after: RegistrySide): readonly ItemChange[] {
  return [
    ...diffServers(before, after),
    ...diffProviders(before, after),
    ...diffRoutes(before, after),
    ...diffNamed('registry', before?.registries, after?.registries, (was, is) => [
      ...toAspects(
        'sources, best first',
        mapOrNull(was, one => one.sources.join(', ')),
        mapOrNull(is, one => one.sources.join(', ')),
        () =>
          was && is && before && after ? compareVisibleSources(was.sources, is.sources, { before, after }) : 'same',
      ),
      ...toAspects(
        'claims',
        mapOrNull(was, one => formatClaimMap(one.claims)),
        mapOrNull(is, one => formatClaimMap(one.claims)),
        'same',
      ),
    ]),
    ...diffNamed('source', before?.sources, after?.sources, (was, is) => [
      ...toAspects(
        'read from',
        mapOrNull(was, one => `${one.type} ${one.from}`),
        mapOrNull(is, one => `${one.type} ${one.from}`),
      ),
      ...(was !== undefined && is !== undefined && before !== null && after !== null
        ? diffSources(was, is, { before, after })
        : [
            ...toAspects('entries', mapOrNull(was, formatEntries), mapOrNull(is, formatEntries)),
            ...diffOffers(was, is),
          ]),
      ...toAspects(
        'claims',
        mapOrNull(was, one => formatClaimMap(one.claims)),
        mapOrNull(is, one => formatClaimMap(one.claims)),
        'same',
      ),
    ]),
    ...diffNamed('credential', listSentCredentials(before), listSentCredentials(after), (was, is) => [
      ...toAspects(
        'sent to',
        mapOrNull(was, one => one.url),
        mapOrNull(is, one => one.url),
      ).map(one => withAlarm(one, isElsewhere(was, is) ? 'otherHost' : undefined)),
      ...toAspects('what', mapOrNull(was, formatSentCredential), mapOrNull(is, formatSentCredential)).map(one =>
        withAlarm(one, was && is ? 'otherSecret' : findAlarmOfNew(before, is)),
      ),
    ]),
  ];
}

function diffServers(before: RegistrySide, after: RegistrySide): readonly ItemChange[] {
  const one = after ?? before;
  if (one === null) return [];
  const presence: Effect = before === null ? 'wider' : 'narrower';
  const isKept = before !== null && after !== null;
  // If tokens are not required any more, the alarm `anonymous` says that, and `allEntries` would say less.
  const opened = openAlarms(before, after);
  const aspects = [
    ...toAspects('gets in', mapOrNull(before, getsIn), mapOrNull(after, getsIn), () =>
      isKept ? openEffect(before, after) : presence,
    ),
    ...toAspects('may see', mapOrNull(before, maySee), mapOrNull(after, maySee), () =>
      isKept ? compareAuthorization(before.authorization, after.authorization) : presence,
    ).map(one => withAlarm(one, isKept && opened.length === 0 && mayOpen(one.effect) ? 'allEntries' : undefined)),
  ];
  if (isKept) return toItemChanges('registry server', one.name, aspects, [...opened, ...listAlarms(aspects)]);
  const change = before === null ? 'added' : 'removed';
  return [{ type: 'registry server', name: one.name, change, effect: presence, alarms: opened, aspects }];
}

function openAlarms(before: RegistrySide, after: RegistrySide): readonly Alarm[] {
  return after?.authentication.type === 'anonymous' && before?.authentication.type !== 'anonymous' ? ['anonymous'] : [];
}

function diffProviders(before: RegistrySide, after: RegistrySide): readonly ItemChange[] {
  const accepted = (side: RegistrySide) => (side?.authentication.type === 'oauth' ? side.authentication.providers : []);
  // A provider of a new, removed or public server admits no additional caller.
  const isKept = before?.authentication.type === 'oauth' && after?.authentication.type === 'oauth';
  return diffNamed('provider', accepted(before), accepted(after), (was, is) => [
    ...toAspects('issuer', was?.issuer ?? null, is?.issuer ?? null),
    ...toAspects('audience', was?.audience ?? null, is?.audience ?? null),
    ...toAspects(
      'tokens',
      mapOrNull(was, formatTokens),
      mapOrNull(is, formatTokens),
      is?.acceptsOpaque ? 'wider' : 'narrower',
    ),
  ]).map(one => {
    if (!isKept) return one;
    const effect = one.change === 'added' ? 'wider' : one.change === 'removed' ? 'narrower' : one.effect;
    return { ...one, effect, alarms: mayOpen(effect) ? (['otherCallers'] as const) : [] };
  });
}

/** Groups the routes of one registry that change in the same way. */
function diffRoutes(before: RegistrySide, after: RegistrySide): readonly ItemChange[] {
  const formatPath = ({ method, path }: ExposedRoute) => `${method} ${path}`;
  const found = pairItems(before?.routes ?? [], after?.routes ?? [], formatPath).flatMap(([was, is]) => {
    const route = is ?? was;
    if (route === undefined) return [];
    const found = listRouteAnswers(before, after, was, is);
    if (found.length === 0) return [];
    const aspects = found.map(({ aspect }) => aspect);
    const isOpenNow = found.some(({ isGain, callers }) => isGain && callers.some(caller => OPEN_TO_ALL.has(caller)));
    const change: ItemChange = {
      type: 'route',
      name: formatPath(route),
      change: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed',
      effect: combineEffects(aspects.map(({ effect }) => effect)),
      alarms: isOpenNow ? ['anonymous'] : [],
      aspects,
    };
    return [{ registry: route.registry, change }];
  });
  const alike = Map.groupBy(found, ({ registry, change: { name: _, ...same } }) => JSON.stringify([registry, same]));
  return [...alike.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const name = more.length === 0 ? first.change.name : `${first.change.name} and ${more.length} more alike`;
    return [{ ...first.change, name }];
  });
}

/** The names of the classes of callers that have to meet no requirement. */
const OPEN_TO_ALL: ReadonlySet<string> = new Set(['anyone', 'no token']);

/** Groups callers whose answer changes in the same way. */
function listRouteAnswers(
  before: RegistrySide,
  after: RegistrySide,
  was: ExposedRoute | undefined,
  is: ExposedRoute | undefined,
): readonly Answers[] {
  const callers = new Map([...(before?.callers ?? []), ...(after?.callers ?? [])].map(one => [one.name, one]));
  const found = [...callers.values()].flatMap(caller => {
    const [old, now] = [answerTo(before, was, caller), answerTo(after, is, caller)];
    // A route without a registry tells clients how to authenticate, and nothing about entries.
    const effect = (is ?? was)?.registry === null ? 'same' : compareAnswers(old, now, before, after);
    const isGain = effect !== 'same' && hasMore(old, now);
    return toAspects(caller.name, mapOrNull(old, answerText), mapOrNull(now, answerText), effect).map(aspect => {
      return { ...aspect, isGain };
    });
  });
  const alike = Map.groupBy(found, ({ name: _, ...same }) => JSON.stringify(same));
  return [...alike.values()].flatMap(group => {
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ name }) => name);
    const name = names.length === callers.size ? 'everyone' : names.join('; ');
    const { isGain, ...aspect } = first;
    return [{ aspect: { ...aspect, name }, callers: names, isGain }];
  });
}

interface Answers {
  readonly aspect: Aspect;
  /** Whether the callers see a source that they did not see before, even if they no longer see another one. */
  readonly isGain: boolean;
  readonly callers: readonly string[];
}

/** The answer to a class of callers that the other side may not distinguish: it follows from the rules of this side. */
function answerTo(
  side: RegistrySide,
  route: ExposedRoute | undefined,
  caller: RegistryCaller,
): RouteDecision | undefined {
  if (side === null || route === undefined) return undefined;
  const findAnswer = (name: string | undefined) => route.answers.find(answer => answer.caller === name);
  const own = findAnswer(caller.name) ?? findAnswer('anyone');
  if (own !== undefined) return own;
  const anyToken = findAnswer(side.callers.find(({ type }) => type === 'token')?.name);
  switch (caller.type) {
    case 'claims':
      return anyToken && decideByClaims(side, route, caller.allOf, anyToken);
    case 'superAdmin':
      return anyToken;
    // A token of a provider that is not accepted counts as no token.
    default:
      return findAnswer('no token');
  }
}

/** @see ../registry/answers.ts, which answers the same question for a bundle */
function decideByClaims(
  { authorization, registries, sources }: RegistryExposure,
  route: ExposedRoute,
  allOf: readonly ClaimRequirement[],
  anyToken: RouteDecision,
): RouteDecision {
  const registry = registries.find(({ name }) => name === route.registry);
  if (registry === undefined || authorization.type !== 'claims' || route.access === 'public') return anyToken;
  const isAdmin = authorization.superAdmins.some(rule => Object.keys(rule).length > 0 && doFit(allOf, rule));
  const maySee = (claims: ClaimMap | null | undefined) =>
    isAdmin || (claims !== null && claims !== undefined && doFit(allOf, claims));
  const { caller } = anyToken;
  if (!maySee(registry.claims)) return { caller, answer: 'deny', status: 403 };
  const findClaims = (source: string) => sources.find(({ name }) => name === source)?.claims;
  return { caller, answer: 'allow', sources: registry.sources.filter(source => maySee(findClaims(source))) };
}

function hasMore(was: RouteDecision | undefined, is: RouteDecision | undefined): boolean {
  if (is?.answer !== 'allow') return false;
  const old = was?.answer === 'allow' ? was : undefined;
  return old === undefined || (is.sources ?? []).some(source => old.sources?.includes(source) !== true);
}

function compareAnswers(
  was: RouteDecision | undefined,
  is: RouteDecision | undefined,
  before: RegistrySide,
  after: RegistrySide,
): Effect {
  const [old, now] = [was?.answer === 'allow' ? was : undefined, is?.answer === 'allow' ? is : undefined];
  if (old === undefined || now === undefined || before === null || after === null) {
    if (old === now) return 'same';
    return now === undefined ? 'narrower' : 'wider';
  }
  return compareVisibleSources(old.sources ?? [], now.sources ?? [], { before, after });
}

function answerText(answer: RouteDecision): string {
  if (answer.answer === 'deny') return `deny (${answer.status})`;
  const { sources } = answer;
  return sources === undefined ? 'allow' : `entries of ${listText(sources) ?? 'no source'}`;
}

/** Changes of items that are identified by name. An added item alone gives no caller access; the routes say which callers see it. */
function diffNamed<T extends { readonly name: string }>(
  type: ItemType,
  before: readonly T[] = [],
  after: readonly T[] = [],
  diffAspects: (was: T | undefined, is: T | undefined) => readonly Aspect[],
): readonly ItemChange[] {
  return pairItems(before, after, ({ name }) => name).flatMap(([was, is]): readonly ItemChange[] => {
    const aspects = diffAspects(was, is);
    if (was !== undefined && is !== undefined) return toItemChanges(type, is.name, aspects, listAlarms(aspects));
    const one = is ?? was;
    if (one === undefined) return [];
    return [
      {
        type,
        name: one.name,
        change: was === undefined ? 'added' : 'removed',
        effect: 'same',
        alarms: listAlarms(aspects),
        aspects,
      },
    ];
  });
}

function listSentCredentials(side: RegistrySide): readonly (SentCredential & { readonly name: string })[] {
  return (side?.credentials ?? []).map(one => ({ ...one, name: `${one.to.type} ${one.to.name}: ${one.use}` }));
}

function openEffect(before: RegistryExposure, after: RegistryExposure): Effect {
  const [was, is] = [before.authentication.type, after.authentication.type];
  if (was === is) return 'mixed';
  return is === 'anonymous' ? 'wider' : 'narrower';
}

const STRICTNESS: { readonly [T in RegistryAuthorization['type']]: number } = { claims: 0, authenticated: 1, none: 2 };

/** The claims of registries and sources are compared by the routes; super admins see all entries of all of them. */
function compareAuthorization(before: RegistryAuthorization, after: RegistryAuthorization): Effect {
  if (before.type === 'claims' && after.type === 'claims') return compareAdmins(before.superAdmins, after.superAdmins);
  return rankEffect(STRICTNESS[before.type], STRICTNESS[after.type]);
}

/** The effect of other rules for super admins: a caller who fits one of the rules is a super admin. */
function compareAdmins(before: readonly ClaimMap[], after: readonly ClaimMap[]): Effect {
  const [keeps, keepsOut] = [areAdmins(before, after), areAdmins(after, before)];
  if (keeps && keepsOut) return 'same';
  if (keeps) return 'wider';
  return keepsOut ? 'narrower' : 'mixed';
}

/** Whether all callers who fit one of the first rules certainly fit one of the second rules. An empty rule fits no caller. */
function areAdmins(rules: readonly ClaimMap[], others: readonly ClaimMap[]): boolean {
  const possible = others.filter(rule => Object.keys(rule).length > 0);
  return rules.every(rule => {
    const required = combineRequirements([rule]);
    if (required === undefined || required.length === 0) return true;
    return possible.some(other => doFit(required, other));
  });
}

function getsIn({ authentication }: RegistryExposure): string {
  if (authentication.type === 'anonymous') return 'anyone who can connect';
  return `callers with a token for ${authentication.resource}`;
}

function maySee({ authorization }: RegistryExposure): string {
  if (authorization.type === 'none') return 'everything';
  if (authorization.type === 'authenticated') return 'everything, with any token that is accepted';
  const admins = authorization.superAdmins.map(formatClaims).filter(text => text !== '');
  return `what claims permit${admins.length === 0 ? '' : `; everything with ${admins.join('; or with ')}`}`;
}

function formatTokens({ acceptsOpaque }: { readonly acceptsOpaque: boolean }): string {
  return acceptsOpaque ? 'JWT, opaque' : 'JWT';
}

function formatEntries({ entries }: { readonly entries: number | null }): string | null {
  return entries === null ? null : String(entries);
}

/** Every credential of a new registry server is new, and so is every provider of a registry server that starts to require tokens. */
function findAlarmOfNew(before: RegistrySide, is: SentCredential | undefined): Alarm | undefined {
  if (before === null || is === undefined) return undefined;
  if (is.to.type === 'provider' && before.authentication.type === 'anonymous') return undefined;
  return findNewCredential(listSecretsOf(is), before.credentials.flatMap(listSecretsOf));
}

function isElsewhere(was: SentCredential | undefined, is: SentCredential | undefined): boolean {
  if (was === undefined || is === undefined || listSecretsOf(is).length === 0) return false;
  return readOrigin(was.url) !== readOrigin(is.url);
}

/** The names that a new or removed source has. */
function diffOffers(was: ExposedSource | undefined, is: ExposedSource | undefined): readonly Aspect[] {
  const names = (source: ExposedSource | undefined) => source?.offers?.map(({ name }) => name) ?? [];
  return toAspects('names', listText(names(was)), listText(names(is)), 'same');
}

function formatClaimMap(map: RegistryExposure['sources'][number]['claims']): string | null {
  return map === null ? null : formatClaims(map);
}

function mapOrNull<T, R>(side: T | null | undefined, of: (side: T) => R): R | null {
  return side === null || side === undefined ? null : of(side);
}
