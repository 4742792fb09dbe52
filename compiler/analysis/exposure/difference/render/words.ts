/** Wording that the terminal and Markdown formats share. */
import { formatCount } from '../../render/words.ts';
import type { Alarm, Aspect, ExposureDifference, ItemChange, ItemType, ReachedItem } from '../difference.ts';
import { mayOpen } from '../effect.ts';
import type { CallerGroup } from './group-changes.ts';
import type { ComparedBundle } from './rendering.ts';

export const ALARM_TEXTS: { readonly [A in Alarm]: string } = {
  otherCallers: 'may accept other callers, or identify callers differently',
  anonymous: 'reachable without a token now',
  destructive: 'may destroy',
  otherHost: 'its credential goes to another host',
  newCredential: 'a host that got no credential before gets one',
  otherEndpoint: 'the tokens and secrets that its credential is made of go to another endpoint',
  otherCredential: 'it gets another credential',
  otherRights: 'its credential is for something else, or may do more',
  otherSecret: 'it gets another secret, or is called as another client',
  sharedIdentity: 'every caller acts with the same secret now, and not as the person who calls',
  callerLost: 'it does not get the identity of the person who calls any more',
  allEntries: 'more callers may see every entry',
  calledSafer: 'the spec calls it safer than its backend does',
  unannotated: 'without annotations',
  unasked: 'fewer questions or conditions stop a step that may write or destroy',
  otherCall: 'a step calls another tool',
  otherSignIn: 'clients are sent to another host to sign in',
  unaudited: 'the audit log records fewer events',
  otherProgram: 'another program, or the same program with other settings, gets its secrets',
};

/** How serious each alarm is. Changes are listed by the sum over their alarms, largest first. */
const GRAVITY: { readonly [A in Alarm]: number } = {
  otherCallers: 8,
  anonymous: 8,
  destructive: 8,
  otherHost: 12,
  newCredential: 4,
  otherEndpoint: 12,
  otherCredential: 4,
  otherRights: 4,
  otherSecret: 4,
  sharedIdentity: 4,
  callerLost: 4,
  calledSafer: 8,
  allEntries: 12,
  unannotated: 1,
  unasked: 8,
  otherCall: 4,
  otherSignIn: 12,
  unaudited: 4,
  otherProgram: 12,
};

/** The types whose changes are about who is admitted. They come before changes of what callers may do. */
const ADMISSION_TYPES: ReadonlySet<ItemType> = new Set(['gateway', 'registry server', 'provider']);
const ADMISSION_GRAVITY = 64;
const OPENING: ReadonlySet<Alarm> = new Set(['otherCallers', 'anonymous']);

export function scoreAlarms({ alarms, type }: ItemChange): number {
  if (alarms.length === 0) return 0;
  const isAdmission = ADMISSION_TYPES.has(type) && alarms.some(alarm => OPENING.has(alarm));
  return alarms.reduce((sum, alarm) => sum + GRAVITY[alarm], isAdmission ? ADMISSION_GRAVITY : 0);
}

/** Aspects of a gateway or registry server that decide which callers are admitted. */
const OF_CALLERS =
  /^(?:gets in$|groups come from$|groups in groups$|(?:incomingAuth|authServer|auth|authorization\.primaryUpstream)(?:[.[]|$))/;

/** The former and the new value of each aspect with an alarm: what may admit more callers, and credentials. */
export function listAlarmAspects({ type, alarms, aspects }: ItemChange): readonly Aspect[] {
  const isAdmissionChange = ADMISSION_TYPES.has(type) && alarms.some(alarm => OPENING.has(alarm));
  const mayLetIn = ({ name, effect }: Aspect) => mayOpen(effect) && (type === 'provider' || OF_CALLERS.test(name));
  return aspects.filter(aspect => aspect.alarm !== undefined || (isAdmissionChange && mayLetIn(aspect)));
}

/** Changes with alarms, the most serious first; otherwise in order. */
export function findAlarming(differences: readonly ExposureDifference[]) {
  return differences
    .flatMap(difference =>
      difference.changes.filter(({ alarms }) => alarms.length > 0).map(change => ({ difference, change })),
    )
    .sort((a, b) => scoreAlarms(b.change) - scoreAlarms(a.change));
}

export function formatTitle({ kind, namespace, name, change, classification }: ExposureDifference): string {
  const what = kind === 'gateway' ? '' : ' (registry server)';
  return `${namespace}/${name}${what}: ${change === 'added' || change === 'removed' ? change : classification}`;
}

/** A change in words, such as `tool changed`, or `41 tools changed`. */
export function changeText({ type, change }: ItemChange, count = 1): string {
  return `${formatType(type, count)} ${change}`;
}

export function formatType(type: ItemType, count: number): string {
  return count === 1 ? type : `${count} ${type === 'registry' ? 'registries' : `${type}s`}`;
}

/** An aspect in words, such as `may call: nobody → everyone`, and `scopes: + deploy.admin`. */
export function formatAspect({ name, before, after, items }: Aspect): string {
  if (items !== undefined) {
    const parts = [...items.added.map(item => `+ ${item}`), ...items.removed.map(item => `- ${item}`)];
    return `${name}: ${parts.join(', ')}${after === null ? ', none are left' : ''}`;
  }
  if (before === null) return `${name}: ${after}`;
  if (after === null) return `${name}: ${before} before`;
  return `${name}: ${before} → ${after}`;
}

/** A group of callers as text: one line for gains and one for losses. */
export function formatCallerGroup({ who, gained, lost }: CallerGroup): readonly string[] {
  return [...(gained === '' ? [] : [`${who} gains ${gained}`]), ...(lost === '' ? [] : [`${who} loses ${lost}`])];
}

/** Maximum number of names in a list; the names of a longer list are counted instead. */
export const MOST_NAMES = 8;

export function formatReached(items: readonly ReachedItem[]): string {
  return cutList(items.map(({ type, name }) => (type === 'tool' ? name : `${type} ${name}`)));
}

export function cutList(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The summary line, such as `2 of 5 gateways and registry servers differ: 1 wider, 1 narrower; 3 changes need a look; not all could be compared`. */
export function formatSummary(differences: readonly ExposureDifference[], notCompared: readonly string[] = []): string {
  if (differences.length === 0 && notCompared.length > 0) return 'nothing could be compared';
  return `${formatCompared(differences)}${notCompared.length === 0 ? '' : '; not all could be compared'}`;
}

export const NOT_COMPARED_TITLE = 'Not compared';

export const BUNDLES_TITLE = 'Bundles';

/** The digests of a bundle, such as `sha256:… → sha256:…`, and `sha256:… on both sides`. */
export function formatBundle({ before, after }: ComparedBundle): string {
  if (before === after) return `${after} on both sides`;
  return `${before ?? 'no bundle'} → ${after ?? 'no bundle'}`;
}

function formatCompared(differences: readonly ExposureDifference[]): string {
  const different = differences.filter(({ change }) => change !== 'none');
  const of = formatCount(differences.length, 'gateway or registry server', 'gateways and registry servers');
  if (different.length === 0) return `no difference in ${of}`;
  const classes = ['unclassified', 'wider', 'mixed', 'narrower', 'equivalent'] as const;
  const counts = classes
    .map(name => ({ name, count: different.filter(({ classification }) => classification === name).length }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`);
  const looks = findAlarming(different).length;
  const attention = looks === 0 ? '' : `; ${looks === 1 ? '1 change needs' : `${looks} changes need`} a look`;
  return `${different.length} of ${of} ${different.length === 1 ? 'differs' : 'differ'}: ${counts.join(', ')}${attention}`;
}

export const INCOMPLETE_TEXT = 'The tool lock does not know all backends, so there may be more.';
