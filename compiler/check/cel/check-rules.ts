/** Evaluates the rules of a schema (`x-kubernetes-validations`) as the API server does when an object is created. */
import type { StructuralSchema } from '#schemas';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import type { Path } from '../../source/source-document.ts';
import { isPlainObject } from '../../text/value-types.ts';
import { diagnose } from '../diagnose.ts';
import { someSchema } from '../schema-contains.ts';
import { toCelValue } from './cel-value.ts';
import type { RuleOutcome } from './evaluator.ts';
import { loadEvaluator } from './load-evaluator.ts';
import { isIndependent, listMembersToChange, startsWith } from './rule-reads.ts';

/** Maximum number of rule evaluations for one document. */
export const MAX_EVALUATIONS = 10_000;
/** Limit on the scalars, lists and objects that rules of one document read. An object that fits into etcd has fewer. */
export const MAX_EVALUATED_VALUES = 100_000;

type Rule = NonNullable<StructuralSchema['x-kubernetes-validations']>[number];

export interface RuleFindings {
  readonly diagnostics: readonly Diagnostic[];
  /** False when some rule could not be evaluated: then the absence of findings proves nothing. */
  readonly complete: boolean;
  /** Paths from the root of the members that may have to change so that broken rules hold. */
  readonly doubtful: readonly Path[];
}

interface CheckedValue {
  readonly schema: StructuralSchema;
  readonly value: unknown;
  readonly path: Path;
}

/**
 * Evaluates every rule of `schema` for every value that it applies to. Transition rules, which use `oldSelf`, do not apply to a new object.
 *
 * @param value with defaults
 * @param path where `value` is in the document
 * @param doubtful paths from the root at which the document has structural errors: rules that may read them are skipped
 */
export function checkRules(
  document: ResourceDocument,
  schema: StructuralSchema,
  value: unknown,
  path: Path,
  doubtful: readonly Path[] = [],
): RuleFindings {
  const places = [...withRules({ schema, value, path })].filter(
    checked => !doubtful.some(open => startsWith(checked.path, open)),
  );
  const rules = places.flatMap(checked => {
    const below = doubtful.filter(open => startsWith(open, checked.path)).map(open => open.slice(checked.path.length));
    return (checked.schema['x-kubernetes-validations'] ?? [])
      .filter(({ rule }) => isIndependent(rule, below))
      .map(rule => ({ checked, rule }));
  });
  if (rules.length === 0) return { diagnostics: [], complete: true, doubtful: [] };
  const tooMuch = findExcess(rules.length, value);
  if (tooMuch !== undefined) {
    return {
      diagnostics: [diagnose(document, 'LNT1020', path, tooMuch, { at: 'key' })],
      complete: false,
      doubtful: [],
    };
  }
  const { evaluate } = loadEvaluator();
  const selves = new Map(places.map(checked => [checked, toCelValue(checked.schema, checked.value)]));
  const verdicts = rules.map(({ checked, rule }) => ({
    checked,
    rule,
    verdict: evaluate(rule.rule, selves.get(checked) ?? null),
  }));
  return {
    diagnostics: verdicts.flatMap(({ checked, rule, verdict }) => toFindings(document, checked, rule, verdict)),
    complete: verdicts.every(({ verdict }) => verdict.is !== 'unchecked'),
    doubtful: verdicts
      .filter(({ verdict }) => verdict.is === 'broken' || verdict.is === 'error')
      .flatMap(({ checked, rule }) => listMembersToChange(rule.rule).map(member => [...checked.path, ...member])),
  };
}

const hasRules = someSchema(schema => (schema['x-kubernetes-validations'] ?? []).length > 0);

/** Values whose schema has rules, parents first. */
function* withRules(at: CheckedValue): Generator<CheckedValue> {
  const { schema, value, path } = at;
  // Null counts as a missing value.
  if (value === null || value === undefined || !hasRules(schema)) return;
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) yield at;
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries())
      yield* withRules({ schema: schema.items, value: item, path: [...path, index] });
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const field = Object.hasOwn(schema.properties ?? {}, name)
        ? schema.properties?.[name]
        : schema.additionalProperties;
      if (field !== undefined) yield* withRules({ schema: field, value: member, path: [...path, name] });
    }
  }
}

function findExcess(evaluations: number, value: unknown): string | undefined {
  if (evaluations > MAX_EVALUATIONS) {
    return `its rules were not checked: they would need ${evaluations} evaluations, at most ${MAX_EVALUATIONS} are possible`;
  }
  if (exceeds(value, MAX_EVALUATED_VALUES))
    return `its rules were not checked: it holds more than ${MAX_EVALUATED_VALUES} values`;
  return undefined;
}

function exceeds(value: unknown, limit: number): boolean {
  const queue = [value];
  for (let count = 0; queue.length > 0; ) {
    const next = queue.pop();
    count += 1;
    if (count > limit) return true;
    if (typeof next === 'object' && next !== null) {
      for (const member of Object.values(next)) queue.push(member);
    }
  }
  return false;
}

function toFindings(document: ResourceDocument, checked: CheckedValue, rule: Rule, verdict: RuleOutcome): Diagnostic[] {
  const help = `the rule is: ${toOneLine(rule.rule)}`;
  switch (verdict.is) {
    case 'held':
    case 'transition':
      return [];
    case 'broken': {
      const message = toOneLine(rule.message ?? `failed rule: ${rule.rule}`);
      return [diagnose(document, 'LNT1005', checked.path, message, { at: 'key', help })];
    }
    case 'error': {
      // Some errors quote the value, which may be secret.
      const detail = holdsSecret(checked.schema) ? '' : `: ${toOneLine(verdict.text)}`;
      return [diagnose(document, 'LNT1005', checked.path, `a rule ends in an error${detail}`, { at: 'key', help })];
    }
    case 'unchecked': {
      const detail = holdsSecret(checked.schema) ? '' : `: ${toOneLine(verdict.text)}`;
      return [diagnose(document, 'LNT1020', checked.path, `a rule was not checked${detail}`, { at: 'key', help })];
    }
  }
}

function holdsSecret(schema: StructuralSchema): boolean {
  return (
    schema['x-lintel-sensitive'] === true ||
    [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties].some(
      child => child !== undefined && holdsSecret(child),
    )
  );
}

function toOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
