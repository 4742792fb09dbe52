import type { Alarm, Aspect, Effect, ItemChange, ItemType } from './difference.ts';
import { combineEffects } from './effect.ts';

/** One aspect with its effect; empty when both sides have the same text. */
export function toAspects(
  name: string,
  before: string | null,
  after: string | null,
  effect: Effect | (() => Effect) = 'mixed',
): readonly Aspect[] {
  if (before === after) return [];
  return [{ name, before, after, effect: typeof effect === 'function' ? effect() : effect }];
}

export function withAlarm(one: Aspect, alarm: Alarm | undefined): Aspect {
  return alarm === undefined ? one : { ...one, alarm };
}

/** The alarms of aspects, each once. */
export function listAlarms(aspects: readonly Aspect[]): readonly Alarm[] {
  return [...new Set(aspects.flatMap(({ alarm }) => alarm ?? []))];
}

/** A change of an item on both sides; empty when no aspect differs. */
export function toItemChanges(
  type: ItemType,
  name: string,
  aspects: readonly Aspect[],
  alarms: readonly Alarm[] = [],
): readonly ItemChange[] {
  if (aspects.length === 0) return [];
  return [
    { type, name, change: 'changed', effect: combineEffects(aspects.map(({ effect }) => effect)), alarms, aspects },
  ];
}

/** The items as one text, such as `GET, POST`; null for an empty list. */
export function listText(items: readonly string[]): string | null {
  return items.length === 0 ? null : items.join(', ');
}
