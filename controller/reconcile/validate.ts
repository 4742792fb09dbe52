/** Validate: whether a compiled revision may be applied, completely or not at all. */
import type { CompileOutcome } from '../compile/index.ts';
import { formatCompiledMessage } from '../status/index.ts';
import type { CompiledTree } from './cache.ts';
import { ReconcileError } from './reasons.ts';
import type { StatusInput } from './status-writer.ts';
import { formatProgramsMessage, setCompiled } from './step-conditions.ts';

/** An object in a namespace that the source may not use. */
const NAMESPACE_NOT_ALLOWED = 'LNT1060';

export interface ValidatedRevision {
  readonly statusInput: StatusInput;
  /** Why nothing of the revision may be applied. */
  readonly refusal: ReconcileError | undefined;
}

export function validate({ tree, outcome }: CompiledTree): ValidatedRevision {
  const refusal = findRefusal(outcome);
  return { refusal, statusInput: { compiled: outcome, steps: setCompiled(tree, outcome, refusal) } };
}

/** Why nothing of a revision may be applied; undefined when it may be applied. The same outcome always has the same refusal. */
function findRefusal(outcome: CompileOutcome): ReconcileError | undefined {
  const { isGood, diagnostics, counts, units, objects, programs } = outcome;
  if (isGood && programs.length > 0 && units.length === 0 && objects.length === 0) {
    return new ReconcileError('RenderRequired', 'stalled', formatProgramsMessage(programs));
  }
  if (isGood) return undefined;
  if (outcome.isUnfinished === true)
    return new ReconcileError('CompilationFailed', 'retry', formatCompiledMessage(outcome));
  const denied = diagnostics.filter(({ code }) => code === NAMESPACE_NOT_ALLOWED);
  const isOnlyDenied = denied.length > 0 && denied.length >= Math.min(counts.errors, diagnostics.length);
  const reason = isOnlyDenied ? 'PolicyDenied' : 'CompilationFailed';
  return new ReconcileError(reason, 'stalled', formatCompiledMessage(outcome));
}
