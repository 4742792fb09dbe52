/** What a backend counts as offering while it has not answered since the start: its lists at the time when the tool lock was written. */
import type { BackendPlan } from '#schemas';
import { listPossibleNames } from '#shared/plan';
import { NOTHING_OFFERED, type OfferedItems } from './offered-items.ts';

const offers = new WeakMap<BackendPlan, OfferedItems>();

/**
 * Items with the names of the lock, so that no other backend gets one of these names. No client sees them, because their backend is unavailable.
 * The same object for the same plan; empty when the bundle was built without a lock.
 */
export function buildLockedOffer(plan: BackendPlan): OfferedItems {
  if (plan.locked === undefined) return NOTHING_OFFERED;
  const known = offers.get(plan);
  if (known !== undefined) return known;
  const { tools, prompts, resources, resourceTemplates } = plan.locked;
  const offer: OfferedItems = {
    tools: tools.map(name => ({ name, inputSchema: { type: 'object' } })),
    prompts: prompts.map(name => ({ name })),
    resources: resources.map(uri => ({ uri, name: uri })),
    resourceTemplates: resourceTemplates.map(uriTemplate => ({ uriTemplate, name: uriTemplate })),
  };
  offers.set(plan, offer);
  return offer;
}

/** Whether the lock contains a tool or prompt of the backend that could get this name. */
export function mayBeLocked({ locked, tools }: BackendPlan, kind: 'tool' | 'prompt', name: string): boolean {
  const originals = (kind === 'tool' ? locked?.tools : locked?.prompts) ?? [];
  return originals.some(original => listPossibleNames(tools, kind, original).includes(name));
}
