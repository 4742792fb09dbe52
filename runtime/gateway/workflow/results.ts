/** A client's result of a run, as JSON text: its output, or its progress. A failure contains no rendered templates and no texts of backends. */
import { isObject, type WorkflowPlan } from '#schemas';
import { WORKFLOW_FAILURE } from '#shared/plan';
import type { StepOutcome, WorkflowFailure } from './engine/index.ts';
import { formatReason } from './reasons.ts';

/**
 * The result of a run that completed.
 * @param common members at the front, as JSON text without braces: those of every result of the stateless revision
 */
export function formatOutput(output: unknown, common: string | undefined): string {
  const text = JSON.stringify(output ?? null);
  const structured = isObject(output) ? `,"structuredContent":${text}` : '';
  return formatResult(`"content":[{"type":"text","text":${JSON.stringify(text)}}]${structured}`, common);
}

/**
 * The result of a run that failed.
 * @param id the id of the run in the log
 * @param common as for `formatOutput`
 */
export function formatFailure(
  plan: WorkflowPlan,
  { step, reason, output }: WorkflowFailure,
  outcomes: readonly StepOutcome[],
  id: string,
  common: string | undefined,
): string {
  const readTool = (name: string | undefined) => {
    const found = plan.steps.find(value => value.id === name);
    return found === undefined || found.type === 'elicitation' ? {} : { tool: found.call.tool };
  };
  const steps = outcomes.map(outcome => ({ ...outcome, ...readTool(outcome.step) }));
  const at = step === undefined ? {} : { step, ...readTool(step) };
  const report = { workflow: plan.name, id, reason, ...at, ...(output === undefined ? {} : { output }), steps };
  const content = JSON.stringify([{ type: 'text', text: formatReport(report) }]);
  const structured = JSON.stringify({ [WORKFLOW_FAILURE]: report });
  return formatResult(`"isError":true,"content":${content},"structuredContent":${structured}`, common);
}

function formatResult(members: string, common: string | undefined): string {
  return common === undefined ? `{${members}}` : `{${common},${members}}`;
}

interface Report {
  readonly id: string;
  readonly reason: string;
  readonly step?: string;
  readonly tool?: string;
  readonly output?: string;
  readonly steps: readonly StepOutcome[];
}

/** A report for models that read only texts. */
function formatReport({ id, reason, step, tool, output, steps }: Report): string {
  const what = tool === undefined ? `step "${step}"` : `step "${step}" (${tool})`;
  const where = step === undefined ? '' : `${what}: `;
  const why = output === undefined ? formatReason(reason) : `the output "${output}" could not be built`;
  const first =
    reason === 'timeout' && step === undefined
      ? 'Workflow execution timeout exceeded'
      : `Workflow execution failed: ${where}${why}`;
  const of = (outcome: StepOutcome['outcome']) =>
    steps.filter(entry => entry.outcome === outcome).map(entry => `"${entry.step}"`);
  const parts = [
    ['done', of('done')],
    ['failed', of('failed')],
    ['stopped and perhaps done', of('unknown')],
    ['skipped', of('skipped')],
    ['not started', of('not_started')],
  ] as const;
  const outcomes = parts.flatMap(([words, names]) => (names.length === 0 ? [] : [`${words}: ${names.join(', ')}`]));
  return `${first}. Steps ${outcomes.join('; ')}. Reference: ${id}`;
}
