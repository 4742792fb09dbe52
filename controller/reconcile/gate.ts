import type { CompileOutcome } from '../compile/outcome.ts';
import { compiledMessage } from '../status/source-status.ts';
import { ReconcileError } from './reasons.ts';

/** An object in a namespace that the source may not use. */
const NAMESPACE_NOT_ALLOWED = 'LNT1060';

/** Why nothing of a revision may be applied; undefined when all of it may. Always the same for the same outcome. */
export function refusalOf(outcome: CompileOutcome): ReconcileError | undefined {
  const { isGood, diagnostics, counts, units, objects, programs } = outcome;
  if (isGood && programs.length > 0 && units.length === 0 && objects.length === 0) {
    return new ReconcileError('RenderRequired', 'stalled', programsMessage(programs));
  }
  if (isGood) return undefined;
  const denied = diagnostics.filter(({ code }) => code === NAMESPACE_NOT_ALLOWED);
  const isOnlyDenied = denied.length > 0 && denied.length >= Math.min(counts.errors, diagnostics.length);
  const reason = isOnlyDenied ? 'PolicyDenied' : 'CompilationFailed';
  return new ReconcileError(reason, 'stalled', compiledMessage(outcome));
}

/** What TypeScript in a repository means. */
export function programsMessage(programs: readonly string[]): string {
  const [first, ...more] = programs;
  const named = more.length === 0 ? `${first} renders` : `${first} and ${more.length} more render`;
  return `${named} specs, and programs are never run here: render in CI and commit the YAML`;
}
