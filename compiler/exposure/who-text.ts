import type { PolicyCondition, Who } from './exposure.ts';

/** Grants with the same forbids in one breath. */
export function whoText(who: Who): string {
  if (who.type !== 'some') return who.type;
  const groups = Map.groupBy(who.anyOf, ({ forbids }) => anyText(forbids));
  return [...groups]
    .map(([unless, grants]) => {
      const permits = anyText(grants.map(({ permit }) => permit));
      return `${permits === 'true' ? 'everyone' : permits}${unless === '' ? '' : `, unless ${unless}`}`;
    })
    .join('; or ');
}

/** A policy may be written over several lines. */
function anyText(conditions: readonly PolicyCondition[]): string {
  return conditions.map(({ text }) => text.replace(/\s*\n\s*/g, ' ')).join(' or ');
}
