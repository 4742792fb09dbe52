import type { ClaimMap } from '#schemas';

/**
 * Whether a token has one of the values of every required claim. A claim counts when it is a text or a list of texts; anything
 * else in its place is no value. A map that requires nothing fits no caller: a rule that was emptied must not open a door.
 */
export function hasClaims(claims: Readonly<Record<string, unknown>>, required: ClaimMap): boolean {
  const wanted = Object.entries(required);
  return (
    wanted.length > 0 && wanted.every(([claim, values]) => listValues(claims, claim).some(one => values.includes(one)))
  );
}

/** Own members only: `constructor` and `__proto__` are claims like others. */
function listValues(claims: Readonly<Record<string, unknown>>, claim: string): readonly string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every(one => typeof one === 'string') ? value : [];
}
