import type { ClaimMap } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';

type RegistryClaims = { readonly [claim: string]: string | readonly string[] };

/** The claims of a source or registry. An empty map requires nothing; it is left unread, so that it is reported. */
export function lowerClaims(holder: Tracked<{ readonly claims?: RegistryClaims }>): ClaimMap | null {
  if (Object.keys(holder.peek('claims') ?? {}).length === 0) return null;
  return claimMap(holder.get('claims') ?? {});
}

/** Every value as a list. */
export function claimMap(claims: RegistryClaims): ClaimMap {
  // fromEntries defines own members; an assignment to `__proto__` would not.
  return Object.fromEntries(
    Object.entries(claims).map(([claim, values]) => [claim, typeof values === 'string' ? [values] : [...values]]),
  );
}
