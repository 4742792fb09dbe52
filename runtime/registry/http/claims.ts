import type { ClaimMap } from '#schemas';

/**
 * Whether a token has one of the values of every required claim. Only a text or a list of texts counts as a claim's values. A map without
 * requirements fits no caller: emptying a rule by mistake must not grant access.
 */
export function hasClaims(claims: Readonly<Record<string, unknown>>, required: ClaimMap): boolean {
  const wanted = Object.entries(required);
  return (
    wanted.length > 0 && wanted.every(([claim, values]) => listValues(claims, claim).some(one => values.includes(one)))
  );
}

/** Only own members count: `constructor` and `__proto__` are claims like others. */
function listValues(claims: Readonly<Record<string, unknown>>, claim: string): readonly string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every(one => typeof one === 'string') ? value : [];
}
