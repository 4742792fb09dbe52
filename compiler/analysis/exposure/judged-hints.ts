/** How dangerous a tool is where the backend's own word counts more than an override that calls the tool safer. */
import type { SafetyHint } from '#schemas';
import { listSaferClaims } from '../gateway/safer-claims.ts';
import type { Hint, Hints } from './exposure.ts';

/** The hints that call it safer than the backend does. */
export function listSaferHints(hints: Hints): readonly SafetyHint[] {
  const own = toOwnHints(hints);
  return listSaferClaims(
    name => hints[name]?.value,
    name => own[name]?.value,
  );
}

/** The hints by which reports judge: those of clients, but for what calls the tool safer than the backend does. */
export function toJudgedHints(hints: Hints): Hints {
  const safer: ReadonlySet<string> = new Set(listSaferHints(hints));
  if (safer.size === 0) return hints;
  const own = toOwnHints(hints);
  return Object.fromEntries(
    Object.entries(hints).flatMap(([name, hint]: [string, Hint]) => {
      const judged = safer.has(name) ? own[name as SafetyHint] : hint;
      return judged === undefined ? [] : [[name, judged]];
    }),
  );
}

/** Without overrides. */
export function toOwnHints(hints: Hints): Hints {
  return Object.fromEntries(
    Object.entries(hints).flatMap(([name, hint]: [string, Hint]) => {
      if (hint.backend !== undefined) return [[name, { value: hint.backend, from: 'backend' as const }]];
      return hint.from === 'override' ? [] : [[name, hint]];
    }),
  );
}
