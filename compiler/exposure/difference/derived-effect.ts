/** What leaves mean of which each tool, prompt, resource and route says what a change of them does. */
import type { Exposure } from '../exposure.ts';
import type { LeafDifference } from '../plan/walk.ts';
import type { RegistryExposure } from '../registry/registry-exposure.ts';
import { anyRequestEffect } from './any-request/any-request-effect.ts';
import type { Effect, ItemChange } from './difference.ts';
import { together } from './effect.ts';

type AnyExposure = Exposure | RegistryExposure;

/** @param items what is otherwise of all that is known */
export function derivedEffect(
  leaf: LeafDifference,
  before: AnyExposure,
  after: AnyExposure,
  items: readonly ItemChange[],
): Effect {
  // A lock knows what backends offered once: what they offer meanwhile, and what is under templates, no item tells.
  if (before.kind === 'gateway' && after.kind === 'gateway') return anyRequestEffect(leaf, before, after);
  return together(items.map(one => one.effect)) === 'same' ? 'mixed' : 'same';
}
