/** Combines claim requirements. */
import { type ClaimMap, compareText } from '#schemas';
import type { ClaimRequirement } from './registry-exposure.ts';

/** The requirements of a caller who fits all of the maps, normalized; undefined when no caller can fit them all. */
export function combineRequirements(maps: readonly ClaimMap[]): readonly ClaimRequirement[] | undefined {
  const all = maps.flatMap(map => Object.entries(map)).map(([claim, values]) => ({ claim, anyOf: sortUnique(values) }));
  if (all.some(({ anyOf }) => anyOf.length === 0)) return undefined;
  const distinct = [...new Map(all.map(entry => [JSON.stringify(entry), entry])).values()];
  return distinct
    .filter(entry => !distinct.some(other => other !== entry && implies(other, entry.claim, entry.anyOf)))
    .sort((a, b) => compareText(a.claim, b.claim) || compareText(a.anyOf.join('\n'), b.anyOf.join('\n')));
}

/** Whether a map certainly fits every caller who meets the requirements. */
export function doFit(requirements: readonly ClaimRequirement[], map: ClaimMap): boolean {
  return Object.entries(map).every(([claim, values]) =>
    requirements.some(requirement => implies(requirement, claim, values)),
  );
}

/**
 * The requirements in words, such as `org=example, team=backend|platform`. Unusual values are quoted, so that different requirements never look
 * alike.
 */
export function formatRequirements(requirements: readonly ClaimRequirement[]): string {
  return requirements.map(({ claim, anyOf }) => `${formatWord(claim)}=${anyOf.map(formatWord).join('|')}`).join(', ');
}

/** Does the same as `formatRequirements` for a map; a claim without allowed values is written as `claim=`. */
export function formatClaims(claims: ClaimMap): string {
  return formatRequirements(Object.entries(claims).map(([claim, values]) => ({ claim, anyOf: sortUnique(values) })));
}

function implies({ claim, anyOf }: ClaimRequirement, other: string, values: readonly string[]): boolean {
  return claim === other && anyOf.every(value => values.includes(value));
}

function sortUnique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort(compareText);
}

function formatWord(text: string): string {
  return /^[\w.:@/*+-]+$/.test(text) ? text : JSON.stringify(text);
}
