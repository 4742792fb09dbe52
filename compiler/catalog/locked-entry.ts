/** From what a backend answered to its entry in the tool catalog. */
import {
  type BackendOffering,
  type BackendTransport,
  type CatalogItem,
  canonicalJson,
  digestOf,
  type LockedBackendEntry,
  type LockedItem,
} from '#schemas';
import { quote } from '../check/describe.ts';
import { isMapping, memberOf } from '../source/is-mapping.ts';
import { ITEM_KINDS, type ItemKind } from './item-kinds.ts';

/** Definitions that are nested deeper are left out: the file must stay below the depth that its reader allows. */
const MAX_DEFINITION_DEPTH = 90;

export interface MadeEntry {
  readonly entry: LockedBackendEntry;
  /** What was left out and why, in lines; no gateway would serve it either. */
  readonly remarks: readonly string[];
}

export function entryOf(
  answer: BackendOffering,
  at: { readonly url: string; readonly transport: BackendTransport },
): MadeEntry {
  const remarks: string[] = [];
  const lists = ITEM_KINDS.flatMap(kind => {
    const items = itemsOf(kind, answer[kind.list], remarks);
    return Object.keys(items).length === 0 ? [] : [[kind.list, items] as const];
  });
  const { name, version } = answer.serverInfo;
  const entry: LockedBackendEntry = {
    url: publicUrl(at.url),
    transport: at.transport,
    protocolVersion: answer.protocolVersion,
    server: { name: textOf(name), version: textOf(version) },
    ...Object.fromEntries(lists),
  };
  return { entry, remarks };
}

/** Without what may be a secret: user, password, query. */
export function publicUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function itemsOf(kind: ItemKind, list: readonly CatalogItem[], remarks: string[]): Record<string, LockedItem> {
  const named = new Map<string, LockedItem>();
  const twice = new Set<string>();
  for (const [index, definition] of list.entries()) {
    const name = memberOf(definition, kind.key);
    const flaw = flawOf(definition, name);
    if (flaw !== undefined)
      remarks.push(`${kind.noun} ${typeof name === 'string' ? quote(name) : `#${index}`} ${flaw}`);
    else if (named.has(name as string)) twice.add(name as string);
    else named.set(name as string, { digest: digestOf(canonicalJson(definition)), definition });
  }
  for (const name of [...twice].sort()) {
    // Of resources the first is served; a tool or prompt that two claim is not.
    const isServed = kind.key !== 'name';
    if (!isServed) named.delete(name);
    const what = isServed ? 'only the first is served' : 'none is served';
    remarks.push(`${kind.noun} ${quote(name)} is listed more than once: ${what}`);
  }
  return Object.fromEntries(named);
}

/** Why a definition cannot be stored, and would not be served. */
function flawOf(definition: unknown, name: unknown): string | undefined {
  if (!isMapping(definition)) return 'is no object';
  if (typeof name !== 'string' || name === '') return 'has no name';
  if (!isWithin(definition, MAX_DEFINITION_DEPTH)) return `is nested more than ${MAX_DEFINITION_DEPTH} levels deep`;
  try {
    canonicalJson(definition);
    return undefined;
  } catch {
    return 'holds text that is no Unicode, or a number that is too large';
  }
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every(inner => isWithin(inner, depth - 1));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : '';
}
