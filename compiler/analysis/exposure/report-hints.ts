/** The hints that reports use: a backend's hint outweighs an override that calls the tool safer. */
import type { SafetyHint } from '#shared/plan';
import { listSaferClaims } from '../gateway/safer-claims.ts';
import type { Hint, Hints } from './exposure.ts';

/** The hints of the spec that call the tool safer than its backend does. */
export function listSaferHints(hints: Hints): readonly SafetyHint[] {
  const own = toBackendHints(hints);
  return listSaferClaims(
    name => hints[name]?.value,
    name => own[name]?.value,
  );
}

/** The hints for reports: those that clients see, except where the spec calls the tool safer than its backend does. */
export function toReportHints(hints: Hints): Hints {
  const safer: ReadonlySet<string> = new Set(listSaferHints(hints));
  if (safer.size === 0) return hints;
  const own = toBackendHints(hints);
  return Object.fromEntries(
    Object.entries(hints).flatMap(([name, hint]: [string, Hint]) => {
      const reported = safer.has(name) ? own[name as SafetyHint] : hint;
      return reported === undefined ? [] : [[name, reported]];
    }),
  );
}

/** The backend's hints, without overrides. */
export function toBackendHints(hints: Hints): Hints {
  return Object.fromEntries(
    Object.entries(hints).flatMap(([name, hint]: [string, Hint]) => {
      if (hint.backend !== undefined) return [[name, { value: hint.backend, from: 'backend' as const }]];
      return hint.from === 'override' ? [] : [[name, hint]];
    }),
  );
}
