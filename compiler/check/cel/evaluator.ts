/** Evaluates rules of `x-kubernetes-validations`. Only this file imports the CEL library, which is slow to load. */
import { type CelInput, type CelResult, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import type { CelJson } from './cel-value.ts';
import { LIST_FUNCTIONS } from './functions/lists.ts';
import { QUANTITY_FUNCTIONS } from './functions/quantities.ts';
import { UnsupportedError } from './functions/unsupported.ts';
import { URL_FUNCTIONS } from './functions/urls.ts';
import { collectNeeds } from './unbound-identifiers.ts';

/** The outcome of a rule for a value. */
export type RuleOutcome =
  | { readonly is: 'held' | 'broken' | 'transition' }
  /** The API server rejects the object as well, because the rule's evaluation fails there too. */
  | { readonly is: 'error'; readonly text: string }
  /** The API server's answer is unknown. */
  | { readonly is: 'unchecked'; readonly text: string };

type Evaluate = (self: CelJson) => RuleOutcome;

const ENVIRONMENT = celEnv({ funcs: [...strings, ...URL_FUNCTIONS, ...QUANTITY_FUNCTIONS, ...LIST_FUNCTIONS] });

const ready = new Map<string, Evaluate>();

/** Evaluates one rule for one value. A rule is parsed once for all values. Never throws. */
export function evaluate(rule: string, self: CelJson): RuleOutcome {
  const known = ready.get(rule) ?? prepare(rule);
  ready.set(rule, known);
  return known(self);
}

function prepare(rule: string): Evaluate {
  try {
    const { expr } = parse(rule);
    const { missing, isTransition } = collectNeeds(expr, ENVIRONMENT);
    // Transition rules compare with the old object, which does not exist when an object is created, nor here.
    if (isTransition) return () => ({ is: 'transition' });
    if (missing.length > 0) return () => ({ is: 'unchecked', text: `not known here: ${missing.join(', ')}` });
    const run = plan(ENVIRONMENT, expr);
    return self => toOutcome(run({ self: self as CelInput }));
  } catch (error) {
    const [firstLine = ''] = String((error as Error).message).split('\n');
    return () => ({ is: 'unchecked', text: `cannot be read: ${firstLine}` });
  }
}

/** Errors are returned rather than thrown, and they are truthy, so only `true` means that the rule holds. */
function toOutcome(result: CelResult): RuleOutcome {
  if (result === true) return { is: 'held' };
  if (result === false) return { is: 'broken' };
  if (!isCelError(result)) return { is: 'unchecked', text: 'its result is neither true nor false' };
  const text = result.message;
  return isUnsupported(result) ? { is: 'unchecked', text: `not possible here: ${text}` } : { is: 'error', text };
}

/**
 * Messages of errors that come from this evaluator, and would not occur in the API server:
 *
 * - The API server has checked the types in a rule when its CRD was installed, so only this evaluator can lack an overload.
 * - The evaluator limits durations, which Go does not.
 */
const LIMITS = /^(unbound function|found no matching overload|unresolved attribute|.*duration string exceeds)/;

function isUnsupported(error: unknown): boolean {
  if (Array.isArray(error)) return error.some(isUnsupported);
  if (!(error instanceof Error)) return false;
  return error instanceof UnsupportedError || LIMITS.test(error.message) || isUnsupported(error.cause);
}
