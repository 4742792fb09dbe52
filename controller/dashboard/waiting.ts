import { type HtmlCell, renderHtmlTable } from '#compiler';
import { compareText } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

/** Why something waits, and since when. */
export interface WaitingCause {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339, as in conditions; undefined if no object has the time. */
  readonly since?: string | undefined;
}

const HEAD = [{ name: 'kind' }, { name: 'name' }, { name: 'reason' }, { name: 'message' }, { name: 'since' }] as const;

export function renderWaitingTable(causes: readonly WaitingCause[], now: Date): string {
  const rows = causes.map(({ kind, name, reason, message, since }): readonly HtmlCell[] => [
    toCell(kind),
    toCell(name),
    toWarning(reason),
    toCell(message),
    { text: since === undefined ? '' : formatSince(since, now), tone: 'dim' },
  ]);
  return renderHtmlTable({ title: `What waits, and why: ${causes.length}`, id: 'waiting', level: 2, head: HEAD, rows });
}

/** Such as `2026-11-28 09:30 UTC (1h18m)`: the time as in logs, and the age as `kubectl` prints it. */
function formatSince(since: string, now: Date): string {
  // Clocks of different machines differ by seconds.
  const minutes = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / 60_000));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const age = days > 0 ? `${days}d${hours}h` : hours > 0 ? `${hours}h${minutes % 60}m` : `${minutes}m`;
  return `${since.slice(0, 16).replace('T', ' ')} UTC (${age})`;
}

export function toCell(text: string | number | undefined): HtmlCell {
  return { text: text === undefined ? '' : String(text) };
}

/** Marks its row; an empty text marks nothing. */
export function toWarning(text: string): HtmlCell {
  return { text, tone: text === '' ? undefined : 'warn' };
}

export function formatName({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** Compares by namespace, then by name: the order of the tables. */
export function NAMED(a: KubeObject, b: KubeObject): number {
  return compareText(formatName(a), formatName(b));
}

/** Characters of a hash, which are enough for people to compare, and for `git show`. */
const SHOWN_CHARACTERS = 12;

export function shortenDigest(digest: string | undefined): string {
  return (digest ?? '').replace(/^sha256:/, '').slice(0, SHOWN_CHARACTERS);
}

/** @param revision such as `main@sha1:…` */
export function shortenRevision(revision = ''): string {
  return revision.replace(/(sha\d+:[0-9a-f]+)$/, hash => hash.slice(0, hash.indexOf(':') + 1 + SHOWN_CHARACTERS));
}
