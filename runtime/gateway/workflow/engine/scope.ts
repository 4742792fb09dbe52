/** The data for a workflow's templates: `.params`, `.steps`, `.vars`, `.workflow`, and `.forEach` inside of a forEach step. */
import type { TemplateTree } from '#schemas';
import { evaluateTemplate } from '../template/index.ts';
import { describeError, WorkflowError } from './workflow-error.ts';

export type StepStatus = 'pending' | 'running' | 'completed' | 'failed' | 'skipped';

/** A step in the form that templates use. */
export interface StepState {
  status: StepStatus;
  /** The output of the step; null while it has none. */
  output: unknown;
  /** The content blocks of a tool's answer. */
  content: readonly unknown[];
  /** Why the step failed; empty when it did not. */
  error: string;
}

export interface WorkflowScope {
  readonly params: Readonly<Record<string, unknown>>;
  readonly steps: Readonly<Record<string, StepState>>;
  readonly vars: Readonly<Record<string, never>>;
  readonly workflow: Readonly<Record<string, unknown>>;
  readonly forEach?: Readonly<Record<string, unknown>>;
}

/**
 * The text of a template.
 * @param what a description of the template, for the message
 * @throws WorkflowError when the template cannot be rendered with this data
 */
export function render(template: TemplateTree, scope: WorkflowScope, what: string): string {
  try {
    return evaluateTemplate(template, scope);
  } catch (error) {
    throw new WorkflowError(`${what} cannot be rendered: ${describeError(error)}`, 'template');
  }
}

const TRUE: readonly string[] = ['true', 'True', 'TRUE'];
const FALSE: readonly string[] = ['false', 'False', 'FALSE'];

/**
 * Whether a condition is true.
 * @throws WorkflowError for any text other than true or false, ignoring surrounding white space
 */
export function holds(condition: TemplateTree, scope: WorkflowScope): boolean {
  const text = render(condition, scope, 'the condition');
  if (TRUE.includes(text)) return true;
  if (FALSE.includes(text)) return false;
  throw new WorkflowError(
    `the condition renders ${JSON.stringify(text.slice(0, 100))}, which is neither true nor false`,
    'template',
  );
}
