/** Changes of backends: where calls go, and with which credential. */
import type { Credential, ExposedBackend, Exposure, ForwardedHeader } from '../exposure.ts';
import { credentialText, ownSecretText, secretPlaceText, strategyText } from '../render/words.ts';
import { aspect, listText } from './aspect.ts';
import type { Alarm, Effect, ItemChange } from './difference.ts';
import { together } from './effect.ts';
import { pairItems } from './pairs.ts';

export function backendChanges(before: Exposure | null, after: Exposure | null): readonly ItemChange[] {
  const pairs = pairItems(
    before?.backends ?? [],
    after?.backends ?? [],
    ({ name }) => name,
    ({ key }) => key,
  );
  return pairs.flatMap(([had, has]): readonly ItemChange[] => {
    // Aspects that one side does not know are not compared.
    const isKnown = had?.ownSecrets !== undefined && has?.ownSecrets !== undefined;
    const isAlone = had === undefined || has === undefined;
    const [was, is] = isKnown || isAlone ? [had, has] : [had, has].map(side => side && withoutOwnSecrets(side));
    const one = is ?? was;
    if (one === undefined) return [];
    const isKept = was !== undefined && is !== undefined;
    const isRenamed = isKept && was.name !== is.name;
    const by = <T>(side: ExposedBackend | undefined, of: (backend: ExposedBackend) => T) =>
      side === undefined ? null : of(side);
    // The tools of a backend show what it opens, as far as the lock has them.
    const presence: Effect = was === undefined ? 'wider' : 'narrower';
    const isSameCredential = isKept && sentText(was.credential) === sentText(is.credential);
    const both = (name: string, of: (backend: ExposedBackend) => string | null, effect: Effect = 'mixed') =>
      aspect(name, by(was, of), by(is, of), isKept ? effect : presence);
    const aspects = [
      ...both('url', ({ url }) => url),
      ...both('transport', ({ transport }) => transport),
      ...both('credential', sentWords, isSameCredential ? 'same' : 'mixed'),
      ...both('own secrets', ownWords),
      ...both('headers', headersText),
    ];
    if (aspects.length === 0 && !isRenamed) return [];
    return [
      {
        type: 'backend',
        name: one.name,
        ...(isRenamed ? { formerName: was.name } : {}),
        change: was === undefined ? 'added' : is === undefined ? 'removed' : isRenamed ? 'renamed' : 'changed',
        effect: together(aspects.map(({ effect }) => effect)),
        alarms: isKept ? alarms(was, is) : [],
        aspects,
      },
    ];
  });
}

function alarms(was: ExposedBackend, is: ExposedBackend): readonly Alarm[] {
  const isSent = is.credential.strategy !== 'none' || is.headers.some(({ from }) => from === 'secret');
  return [
    ...(isSent && readOrigin(was.url) !== readOrigin(is.url) ? ['otherHost' as const] : []),
    ...(was.credential.identity === 'caller' && hasSharedIdentity(is) ? ['sharedIdentity' as const] : []),
  ];
}

function hasSharedIdentity({ credential: { identity }, ownSecrets = [] }: ExposedBackend): boolean {
  return identity === 'gateway' || (identity === 'nobody' && ownSecrets.length > 0);
}

/** Scheme, host and port; the whole text when it is not a URL. */
function readOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Ignores the object that chooses the credential, since what is sent does not depend on it. */
function sentText({ from: _, ...sent }: Credential): string {
  return JSON.stringify(sent);
}

/** Null when the gateway sends nothing, and the server has a credential of its own. */
function sentWords({ credential, ownSecrets = [] }: ExposedBackend): string | null {
  if (credential.strategy === 'none' && ownSecrets.length > 0) return null;
  const details = credentialText(credential);
  return `${strategyText(credential)} as ${credential.identity}${details === '' ? '' : `, ${details}`}`;
}

function ownWords({ ownSecrets = [] }: ExposedBackend): string | null {
  return listText(ownSecrets.map(ownSecretText));
}

function withoutOwnSecrets({ ownSecrets: _, ...backend }: ExposedBackend): ExposedBackend {
  return backend;
}

function headersText({ headers }: ExposedBackend): string | null {
  return listText(headers.map(header => `${header.name} (${headerSource(header)})`));
}

function headerSource({ from, secret }: ForwardedHeader): string {
  if (from === 'caller') return "the caller's";
  return secret === undefined ? `from ${from}` : secretPlaceText(secret);
}
