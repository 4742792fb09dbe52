import type { HtmlCell } from '#compiler';
import { compareText } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

/** One row about something that waits: its name, the reason, the explanation, and since when. */
export type WaitingCells = readonly HtmlCell[];

export const WAITING_HEAD = [
  { name: 'kind' },
  { name: 'name' },
  { name: 'reason' },
  { name: 'message' },
  { name: 'since' },
] as const;

export function toWaitingCells(kind: string, name: string, reason: string, message: string, since = ''): WaitingCells {
  return [toCell(kind), toCell(name), { text: reason, tone: 'warn' }, toCell(message), { text: since, tone: 'dim' }];
}

export function toCell(text: string | number | undefined): HtmlCell {
  return { text: text === undefined ? '' : String(text) };
}

export function formatName({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** Compares by namespace, then by name: the order of the tables. */
export function NAMED(a: KubeObject, b: KubeObject): number {
  return compareText(formatName(a), formatName(b));
}

/** The first characters of a digest, which are enough for people to compare. */
export function shortenDigest(digest: string | undefined): string {
  return (digest ?? '').slice(0, 'sha256:'.length + 12);
}
