import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import { diagnosePart, listReads, listTemplates } from './support/template-locations.ts';

/** The fixed output fields of steps that are not tool calls. */
const FIELDS = {
  forEach: ['iterations', 'count', 'completed', 'failed'],
  elicitation: ['action', 'content'],
} as const;

/**
 * Templates may only read the fixed fields of `forEach` and elicitation steps, and the requested fields of an elicitation.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | templates | read only fields that `forEach` and `elicitation` have |
 *   LNT7006
 */
export function compositeStepOutputs(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(location => {
    const steps = new Map(location.tool.steps.filter(isFixed).map(step => [step.id, step]));
    if (steps.size === 0) return [];
    return listTemplates(location).flatMap(template =>
      listReads(template).flatMap(({ path: [root, id = '', output, ...fields], at }) => {
        const step = steps.get(id);
        if (root !== 'steps' || output !== 'output' || step === undefined) return [];
        const absence = findAbsence(step, fields);
        if (absence === undefined) return [];
        const { message, ...details } = absence;
        return [diagnosePart(resource, 'LNT7006', template, at, message, details)];
      }),
    );
  });
}

type FixedStep = Step & { readonly type: keyof typeof FIELDS };

function isFixed(step: Step): step is FixedStep {
  return step.type === 'forEach' || step.type === 'elicitation';
}

function findAbsence(step: FixedStep, [field, below]: readonly string[]) {
  if (field === undefined) return undefined;
  const known: readonly string[] = FIELDS[step.type];
  if (!known.includes(field)) {
    const message = `step "${step.id}" is of type ${step.type} and gives ${known.join(', ')}, not "${field}"`;
    return { message, ...suggestFix(findNearest(field, known)) };
  }
  if (field !== 'content') {
    return below === undefined ? undefined : { message: `"${field}" of step "${step.id}" has no field "${below}"` };
  }
  const requested = listProperties(step.schema);
  if (below === undefined || requested === undefined || requested.includes(below)) return undefined;
  const message = `the schema of step "${step.id}" does not ask for "${below}"`;
  // Clients validate the answer and may allow additional fields.
  return { message, severity: 'warning' as const, ...suggestFix(findNearest(below, requested)) };
}

function listProperties(schema: unknown): readonly string[] | undefined {
  return isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : undefined;
}

function suggestFix(close: string | undefined): { readonly fix?: string } {
  return close === undefined ? {} : { fix: `did you mean "${close}"?` };
}
