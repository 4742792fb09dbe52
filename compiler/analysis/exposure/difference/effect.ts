/** Combines effects. */

import { isCoveredBy } from '../caller-sets.ts';
import type { Who } from '../exposure.ts';
import type { Classification, Effect } from './difference.ts';

/** The combined effect of several changes. */
export function combineEffects(effects: Iterable<Effect>): Effect {
  const all = new Set(effects);
  all.delete('same');
  if (all.has('unclassified')) return 'unclassified';
  const [only = 'same'] = all;
  return all.size > 1 ? 'mixed' : only;
}

export function classifyEffect(effect: Effect): Classification {
  return effect === 'same' ? 'equivalent' : effect;
}

/** Whether an effect may let callers do more than before; true when the effect is unknown. */
export function mayOpen(effect: Effect): boolean {
  return effect !== 'same' && effect !== 'narrower';
}

/** The effect of other callers. Conditions are compared as text, so two spellings of one condition count as mixed, and never as the same. */
export function compareAudiences(before: Who, after: Who): Effect {
  if (before.type === 'unknown' && after.type === 'unknown') return 'same';
  const [keeps, keepsOut] = [isCoveredBy(before, after), isCoveredBy(after, before)];
  if (keeps && keepsOut) return 'same';
  if (keeps) return 'wider';
  return keepsOut ? 'narrower' : 'mixed';
}

/** The effect of changing a list of requirements: with more of them, fewer callers qualify. */
export function demandsEffect(before: readonly string[], after: readonly string[]): Effect {
  return combineEffects([
    after.every(item => before.includes(item)) ? 'same' : 'narrower',
    before.every(item => after.includes(item)) ? 'same' : 'wider',
  ]);
}

/** The effect of changing a list in which each item grants something. */
export function offersEffect(before: readonly string[], after: readonly string[]): Effect {
  return demandsEffect(after, before);
}

export function rankEffect(before: number, after: number): Effect {
  if (before === after) return 'same';
  return after > before ? 'wider' : 'narrower';
}
