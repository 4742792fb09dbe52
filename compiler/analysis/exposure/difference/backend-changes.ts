/** Changes of backends: where calls go, and with which credential. */
import { carriesCredential } from '../credential.ts';
import type { ExposedBackend, Exposure, ForwardedHeader } from '../exposure.ts';
import { formatSecretPlace } from '../render/words.ts';
import { listAlarms, listText, toAspects, withAlarm } from './aspect.ts';
import { diffCredentials, findLoss, formatOwnSecrets, formatSentCredential } from './credential-changes.ts';
import type { Alarm, Effect, ItemChange } from './difference.ts';
import { combineEffects } from './effect.ts';
import { findNewCredential, listSecretsSentTo } from './new-credentials.ts';
import { pairItems } from './pairs.ts';
import { readOrigin } from './read-origin.ts';
import { diffWorkloads } from './workload-changes.ts';

export function diffBackends(before: Exposure | null, after: Exposure | null): readonly ItemChange[] {
  const pairs = pairItems(
    before?.backends ?? [],
    after?.backends ?? [],
    ({ name }) => name,
    ({ key }) => key,
  );
  return pairs.flatMap(([had, has]): readonly ItemChange[] => {
    // If one side does not know the secrets of its server, these secrets are not compared.
    const isKnown = had?.ownSecrets !== undefined && has?.ownSecrets !== undefined;
    const isAlone = had === undefined || has === undefined;
    const [was, is] = isKnown || isAlone ? [had, has] : [had, has].map(side => side && withoutOwnSecrets(side));
    const one = is ?? was;
    if (one === undefined) return [];
    const isKept = was !== undefined && is !== undefined;
    const isRenamed = isKept && was.name !== is.name;
    const by = <T>(side: ExposedBackend | undefined, of: (backend: ExposedBackend) => T) =>
      side === undefined ? null : of(side);
    // The effect of adding or removing a backend as such. What that opens is reported by the changes of its tools, as far as the tool lock has them.
    const presence: Effect = was === undefined ? 'wider' : 'narrower';
    const both = (name: string, of: (backend: ExposedBackend) => string | null, effect: Effect = 'mixed') =>
      toAspects(name, by(was, of), by(is, of), isKept ? effect : presence);
    const found = isKept ? collectAlarmsByAspect(was, is) : collectAlarmsOfNew(before, is);
    const aspects = [
      ...both('url', ({ url }) => url),
      ...both('transport', ({ transport }) => transport),
      ...(isKept ? diffCredentials(was, is) : both('credential', formatSentCredential)),
      ...both('own secrets', formatOwnSecrets),
      ...both('headers', formatHeaders),
      ...(isKept ? diffWorkloads(was, is) : []),
    ].map(aspect => withAlarm(aspect, found[aspect.name] ?? aspect.alarm));
    if (aspects.length === 0 && !isRenamed) return [];
    return [
      {
        type: 'backend',
        name: one.name,
        ...(isRenamed ? { formerName: was.name } : {}),
        change: was === undefined ? 'added' : is === undefined ? 'removed' : isRenamed ? 'renamed' : 'changed',
        effect: combineEffects(aspects.map(({ effect }) => effect)),
        alarms: listAlarms(aspects),
        aspects,
      },
    ];
  });
}

/** The alarms of each aspect other than the credential itself, by the name of the aspect. */
function collectAlarmsByAspect(
  was: ExposedBackend,
  is: ExposedBackend,
): { readonly [name: string]: Alarm | undefined } {
  const isSent = is.credential.strategy !== 'none' || is.headers.some(({ from }) => from === 'secret');
  const own = was.ownSecrets?.map(text => JSON.stringify(text)) ?? [];
  const hasMoreOwn = (is.ownSecrets ?? []).some(ownSecret => !own.includes(JSON.stringify(ownSecret)));
  return {
    url: isSent && readOrigin(was.url) !== readOrigin(is.url) ? 'otherHost' : undefined,
    'own secrets': hasMoreOwn ? (findLoss(was, is) ?? 'otherSecret') : undefined,
    headers: hasMoreHeaders(was, is) ? 'otherSecret' : undefined,
  };
}

/** The alarms of an added backend. For a new gateway there are none, since all of its backends are new. */
function collectAlarmsOfNew(
  before: Exposure | null,
  is: ExposedBackend | undefined,
): { readonly [name: string]: Alarm | undefined } {
  if (before === null || is === undefined) return {};
  const alarm = findNewCredential(listSecretsSentTo(is), before.backends.flatMap(listSecretsSentTo));
  const field = formatSentCredential(is) !== null ? 'credential' : 'own secrets';
  return { [field]: alarm };
}

function hasMoreHeaders(was: ExposedBackend, is: ExposedBackend): boolean {
  const [old, now] = [was, is].map(({ headers, credential }) =>
    headers.filter(header => carriesCredential(header, credential)).map(header => JSON.stringify(header)),
  );
  return now?.some(header => old?.includes(header) !== true) === true;
}

function withoutOwnSecrets({ ownSecrets: _, ...backend }: ExposedBackend): ExposedBackend {
  return backend;
}

function formatHeaders({ headers }: ExposedBackend): string | null {
  return listText(headers.map(header => `${header.name} (${formatHeaderSource(header)})`));
}

function formatHeaderSource({ from, secret }: ForwardedHeader): string {
  if (from === 'caller') return "the caller's";
  return secret === undefined ? `from ${from}` : formatSecretPlace(secret);
}
