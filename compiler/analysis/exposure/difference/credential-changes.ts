/** Changes of the credential that a backend gets, part by part: a reader sees at once what differs. */
import type { Credential, ExposedBackend } from '../exposure.ts';
import { formatCredential, formatOwnSecret, formatSecretPlace, formatStrategy } from '../render/words.ts';
import { listText } from './aspect.ts';
import type { Alarm, Aspect } from './difference.ts';

/**
 * Compares the credentials of a backend. Two of different kinds are compared as a whole, since their parts have different meanings. Parts that
 * exposures lack, such as the client, are compared as leaves of the plan.
 */
export function diffCredentials(was: ExposedBackend, is: ExposedBackend): readonly Aspect[] {
  const [old, now] = [was.credential, is.credential];
  if (old.strategy !== now.strategy || old.identity !== now.identity) return diffWholeCredentials(was, is);
  return [...diffCredentialSources(old, now), ...diffTexts(old, now), ...diffLists(old, now)];
}

/** The credential in words. Null when the gateway sends nothing and the server has no credential of its own. */
export function formatSentCredential({ credential, ownSecrets = [] }: ExposedBackend): string | null {
  if (credential.strategy === 'none' && ownSecrets.length > 0) return null;
  const details = formatCredential(credential);
  return `${formatStrategy(credential)} as ${credential.identity}${details === '' ? '' : `, ${details}`}`;
}

export function formatOwnSecrets({ ownSecrets = [] }: ExposedBackend): string | null {
  return listText(ownSecrets.map(formatOwnSecret));
}

function diffWholeCredentials(was: ExposedBackend, is: ExposedBackend): readonly Aspect[] {
  const [before, after] = [formatSentCredential(was), formatSentCredential(is)];
  return [{ name: 'credential', before, after, effect: 'mixed', alarm: findLoss(was, is) ?? 'otherCredential' }];
}

/** What replaces the calling person's identity at a backend that acted for that person before. */
export function findLoss(
  { credential: was }: ExposedBackend,
  { credential: is, ownSecrets = [] }: ExposedBackend,
): Alarm | undefined {
  if (was.identity !== 'caller' || is.identity === 'caller') return undefined;
  return is.identity === 'gateway' || ownSecrets.length > 0 ? 'sharedIdentity' : 'callerLost';
}

/** The object that chooses a credential does not change what is sent. */
function diffCredentialSources({ from: was }: Credential, { from: is }: Credential): readonly Aspect[] {
  const [before, after] = [was, is].map(from => (from === null ? null : `${from.kind} ${from.name}`));
  if (before === undefined || after === undefined || before === after) return [];
  return [{ name: 'credential chosen in', before, after, effect: 'same' }];
}

/** These parts have the same names as leaves of the plan that say the same, so that no difference is reported twice. */
const TEXTS = [
  ['endpoint', 'otherEndpoint', ({ tokenUrl }) => tokenUrl ?? null],
  ['audience', 'otherRights', ({ audience }) => audience ?? null],
  ['region', 'otherRights', ({ region }) => region ?? null],
  ['header', 'otherCredential', ({ header }) => header ?? null],
  ['upstream', 'otherCredential', ({ provider }) => provider ?? null],
  ['header value', 'otherSecret', credential => findSecret(credential, 'header value')],
  ['client secret', 'otherSecret', credential => findSecret(credential, 'client secret')],
  [
    'client secret of the identity provider',
    'otherSecret',
    credential => findSecret(credential, 'client secret of the identity provider'),
  ],
] as const satisfies readonly (readonly [string, Alarm, (credential: Credential) => string | null])[];

function findSecret({ secrets }: Credential, use: Credential['secrets'][number]['use']): string | null {
  return listText(secrets.filter(secret => secret.use === use).map(({ from }) => formatSecretPlace(from)));
}

function diffTexts(was: Credential, is: Credential): readonly Aspect[] {
  return TEXTS.flatMap(([name, alarm, of]): readonly Aspect[] => {
    const [before, after] = [of(was), of(is)];
    return before === after ? [] : [{ name, before, after, effect: 'mixed', alarm }];
  });
}

function diffLists(was: Credential, is: Credential): readonly Aspect[] {
  return [
    ...diffList('scopes', was.scopes ?? [], is.scopes ?? []),
    // The plan compares each role mapping as well.
    ...diffList('roles', was.roles ?? [], is.roles ?? []),
  ];
}

/** A removed item is not an alarm, unless the list becomes empty: then the other side decides what the credential may do. */
function diffList(name: string, was: readonly string[], is: readonly string[]): readonly Aspect[] {
  if (was.join('\n') === is.join('\n')) return [];
  const [added, removed] = [is.filter(value => !was.includes(value)), was.filter(value => !is.includes(value))];
  const isLess = added.length === 0 && is.length > 0 && was.length > 0;
  const isOrder = added.length === 0 && removed.length === 0;
  const aspect: Aspect = {
    name,
    before: listText(was),
    after: listText(is),
    effect: 'mixed',
    ...(isOrder ? {} : { items: { added, removed } }),
  };
  return [isLess ? aspect : { ...aspect, alarm: 'otherRights' }];
}
