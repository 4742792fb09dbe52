import { type ErrorPolicy, MAX_RETRIES, type WorkflowCall } from '#schemas';
import { coerceArgument } from '#shared/plan';
import type { AbortSource } from '#shared/util';
import { pause, untilAborted } from './deadline.ts';
import type { ToolResult, WorkflowHost } from './host.ts';
import { render, type WorkflowScope } from './scope.ts';
import { WorkflowError } from './workflow-error.ts';

/** A tool's output in the form that templates use. */
export interface CallOutput {
  readonly output: unknown;
  readonly content: readonly unknown[];
}

/** The delay before each further attempt is half as long again, up to sixty times the first, and varies at random by up to half. */
const GROWTH = 1.5;
const LONGEST_DELAY = 60;
const JITTER = 0.5;

/** The attempts of one call; they continue the count from before the run was paused. */
export interface Attempts {
  failed: number;
}

/**
 * Renders the arguments and calls the tool; after a failure, also one that the tool reports, calls it again as often as the policy says.
 * @throws WorkflowError of the last attempt
 */
export async function callTool(
  call: WorkflowCall,
  policy: ErrorPolicy,
  scope: WorkflowScope,
  step: string,
  host: WorkflowHost,
  signal: AbortSource,
  attempts: Attempts = { failed: 0 },
): Promise<CallOutput> {
  const args = renderArguments(call, scope);
  const retries = policy.action === 'retry' ? Math.min(policy.count, MAX_RETRIES) : 0;
  const firstDelayMs = policy.action === 'retry' ? policy.delayMs : 0;
  for (;;) {
    try {
      return readOutput(await untilAborted(signal, host.callTool(call, args, step, signal)));
    } catch (error) {
      if (attempts.failed >= retries || signal.aborted) throw error;
    }
    const delayMs = firstDelayMs * Math.min(GROWTH ** attempts.failed, LONGEST_DELAY);
    attempts.failed += 1;
    await pause(host, delayMs * (1 - JITTER + 2 * JITTER * host.random()), signal);
  }
}

function renderArguments({ arguments: planned }: WorkflowCall, scope: WorkflowScope): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(planned).map(([name, argument]) => {
      if ('value' in argument) return [name, argument.value];
      const text = render(argument.template, scope, `the argument "${name}"`);
      return [name, coerceArgument(text, argument.types)];
    }),
  );
}

/**
 * The output of a call.
 * @throws WorkflowError for a result in which the tool reports a failure
 */
function readOutput({ content = [], structuredContent, isError }: ToolResult): CallOutput {
  if (isError === true) {
    const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
    throw new WorkflowError(
      texts.length === 0 ? 'the tool failed' : `the tool failed: ${texts.join(' ')}`,
      'tool_error',
    );
  }
  return { output: structuredContent ?? readBlocks(content), content };
}

/** The output of a result without structured content: `text`, `text_1`, … for texts, `image_0`, … for data. */
function readBlocks(content: NonNullable<ToolResult['content']>): Record<string, unknown> {
  const output: Record<string, unknown> = {};
  const counts = new Map<string, number>();
  for (const block of content) {
    const index = counts.get(block.type) ?? 0;
    counts.set(block.type, index + 1);
    if (block.type === 'text') output[index === 0 ? 'text' : `text_${index}`] = block.text;
    else output[`${block.type}_${index}`] = block.data ?? block.resource ?? block.uri;
  }
  return output;
}
