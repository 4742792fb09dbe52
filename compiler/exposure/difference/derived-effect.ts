/** What leaves mean of which each tool, prompt, resource and route says what a change of them does. */
import type { Exposure } from '../exposure.ts';
import type { LeafDifference } from '../plan/walk.ts';
import type { RegistryExposure } from '../registry/registry-exposure.ts';
import type { Effect, ItemChange } from './difference.ts';
import { together } from './effect.ts';

type AnyExposure = Exposure | RegistryExposure;

/** Claims and entities change what conditions mean without changing a word of them. */
const MEANING = /^authorization\.(?:entities|groupType|groupClaims|roleClaim|multiValuedClaims|server)/;

export function derivedEffect(
  { pattern }: LeafDifference,
  before: AnyExposure,
  after: AnyExposure,
  items: readonly ItemChange[],
): Effect {
  const effect = together(items.map(one => one.effect));
  if (before.kind === 'gateway' && after.kind === 'gateway') {
    const isKnown = [before, after].every(({ complete }) => complete);
    return isKnown && !MEANING.test(pattern) ? 'same' : 'mixed';
  }
  return effect === 'same' ? 'mixed' : 'same';
}
