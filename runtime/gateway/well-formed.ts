/** What of a backend's offer can be shown at all. One bad item must not cost the others: clients refuse whole lists. */
import { type NamedCapability, toolFlaw, toolNameFlaw } from '#schemas';
import { MAX_DEPTH } from '../mcp/json-scan.ts';
import { type Capabilities, type CapabilityKind, type Item, KINDS } from './capabilities.ts';

/** An item that cannot even be named. */
export interface UnfitItem {
  readonly kind: CapabilityKind;
  /** The backend's own name or URI; for what has none its place in the list. */
  readonly name: string;
  readonly reason: 'malformed' | 'duplicate';
}

/** Splits an offer into what has a name of its own and the rest. */
export function splitOffer(capabilities: Capabilities): { kept: Capabilities; unfit: readonly UnfitItem[] } {
  const unfit: UnfitItem[] = [];
  const kept = KINDS.map(({ kind, key }) => {
    const seen = new Set<string>();
    const items = capabilities[kind].filter((item, index) => {
      const name = typeof item === 'object' && item !== null ? item[key] : undefined;
      if (typeof name !== 'string' || name === '') unfit.push({ kind, name: `#${index}`, reason: 'malformed' });
      else if (!isWithinDepth(item, MAX_DEPTH)) unfit.push({ kind, name, reason: 'malformed' });
      else if (seen.has(name)) unfit.push({ kind, name, reason: 'duplicate' });
      else {
        seen.add(name);
        return true;
      }
      return false;
    });
    return [kind, items] as const;
  });
  return { kept: Object.fromEntries(kept) as unknown as Capabilities, unfit };
}

/** Why a tool that has a name must not be shown. */
export interface ToolFault {
  readonly reason: 'invalid_schema' | 'unfit_name';
  /** What exactly is wrong, for people. */
  readonly detail: string;
}

/**
 * Judges a tool under the name that it was given. A tool with a fault keeps that name: otherwise a backend that breaks its own
 * schema would hand the name to another backend.
 */
export function toolFault(item: Item, { name }: NamedCapability): ToolFault | undefined {
  const nameFlaw = toolNameFlaw(name);
  if (nameFlaw !== undefined) return { reason: 'unfit_name', detail: nameFlaw };
  const detail = knownFlaw(item);
  return detail === undefined ? undefined : { reason: 'invalid_schema', detail };
}

/** Tools are judged once: the table is made anew whenever any backend changes. */
const flaws = new WeakMap<Item, string | null>();

function knownFlaw(tool: Item): string | undefined {
  let flaw = flaws.get(tool);
  if (flaw === undefined) {
    flaw = toolFlaw(tool) ?? null;
    flaws.set(tool, flaw);
  }
  return flaw ?? undefined;
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every(inner => isWithinDepth(inner, depth - 1));
}
