/** Turns a backend's answer into its entry in the tool lock. */
import {
  type BackendOffering,
  type BackendTransport,
  type CatalogItem,
  computeDigest,
  formatCanonicalJson,
  type LockedBackendEntry,
  type LockedItem,
} from '#schemas';
import { splitItems } from '#shared/plan';
import { formatList, quote } from '../../text/describe.ts';
import { ITEM_KINDS, type ItemKind } from './item-kinds.ts';

export interface MadeEntry {
  readonly entry: LockedBackendEntry;
  /** What was left out and why, one line each; no gateway would serve these either. */
  readonly remarks: readonly string[];
}

export function createLockedEntry(
  answer: BackendOffering,
  at: { readonly url: string; readonly transport: BackendTransport },
): MadeEntry {
  const remarks: string[] = [];
  const lists = ITEM_KINDS.flatMap(kind => {
    const items = lockItems(kind, answer[kind.list], remarks);
    return Object.keys(items).length === 0 ? [] : [[kind.list, items] as const];
  });
  const { unavailable } = answer;
  if (unavailable !== undefined) {
    const which = unavailable.names.length === 0 ? unavailable.count : formatList(unavailable.names);
    remarks.push(`backends behind it do not answer it (${which}), so the tool lock lacks what they offer`);
  }
  const { name, version } = answer.serverInfo;
  const entry: LockedBackendEntry = {
    url: redactUrl(at.url),
    transport: at.transport,
    protocolVersion: answer.protocolVersion,
    server: { name: toText(name), version: toText(version) },
    ...Object.fromEntries(lists),
  };
  return { entry, remarks };
}

/** The URL without parts that may be secret: user, password, query. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Locks only items that a gateway would serve. */
function lockItems(kind: ItemKind, list: readonly CatalogItem[], remarks: string[]): Record<string, LockedItem> {
  const { fit, unfit } = splitItems(list, kind.list);
  remarks.push(
    ...unfit.map(
      ({ name, index, detail }) => `${kind.noun} ${name === undefined ? `#${index}` : quote(name)} ${detail}`,
    ),
  );
  return Object.fromEntries(
    fit.map(definition => [
      definition[kind.key] as string,
      { digest: computeDigest(formatCanonicalJson(definition)), definition },
    ]),
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}
