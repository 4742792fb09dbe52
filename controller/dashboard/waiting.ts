import type { HtmlCell } from '#compiler';
import { compareText } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

/** One waiting item: what, the reason, the explanation, and since when. */
export type WaitingCells = readonly HtmlCell[];

export const WAITING_HEAD = [
  { name: 'kind' },
  { name: 'name' },
  { name: 'reason' },
  { name: 'message' },
  { name: 'since' },
] as const;

export function waiting(kind: string, name: string, reason: string, message: string, since = ''): WaitingCells {
  return [cell(kind), cell(name), { text: reason, tone: 'warn' }, cell(message), { text: since, tone: 'dim' }];
}

export function cell(text: string | number | undefined): HtmlCell {
  return { text: text === undefined ? '' : String(text) };
}

export function formatName({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** By namespace, then by name. */
export function NAMED(a: KubeObject, b: KubeObject): number {
  return compareText(formatName(a), formatName(b));
}

/** The part of a digest that people compare. */
export function shortDigest(digest: string | undefined): string {
  return (digest ?? '').slice(0, 'sha256:'.length + 12);
}
