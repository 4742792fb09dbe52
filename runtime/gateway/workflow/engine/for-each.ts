import pLimit from 'p-limit';
import type { ForEachStep } from '#schemas';
import type { AbortSource } from '#shared/util';
import { ChildAbort } from './abort.ts';
import { type Attempts, type CallOutput, callTool } from './call-tool.ts';
import type { WorkflowHost } from './host.ts';
import type { Journal } from './journal.ts';
import { render, type WorkflowScope } from './scope.ts';
import { describeError, WorkflowError } from './workflow-error.ts';

interface Iteration {
  readonly index: number;
  readonly item: unknown;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly output: unknown;
  readonly error?: string;
}

/**
 * Calls a tool for each item of a list, a few at a time. With `continue`, failures are recorded; otherwise the first failure ends the step and
 * cancels the calls that are still running.
 * @param journal records the outcome of each item
 * @param retried counts the repeated calls of all items; each item has its own number of attempts
 */
export async function runForEach(
  step: ForEachStep,
  scope: WorkflowScope,
  host: WorkflowHost,
  journal: Journal,
  signal: AbortSource,
  retried: Attempts,
): Promise<CallOutput> {
  const items = renderItems(step, scope);
  journal.items(step.id, items.length);
  const goesOn = step.onError.action === 'continue';
  const own = pLimit(step.maxParallel);
  const rest = new ChildAbort(signal);
  let first: unknown;
  const iterations = await Promise.all(
    items.map((item, index) =>
      own(async (): Promise<Iteration> => {
        if (rest.aborted) return { index, item, status: 'cancelled', output: null };
        const inner = { ...scope, forEach: { [step.itemVar]: item, index } };
        journal.item(step.id, index, 'unknown');
        const attempts = { failed: 0 };
        try {
          const { output } = await callTool(step.call, step.callOnError, inner, step.id, host, rest, attempts);
          journal.item(step.id, index, 'done');
          return { index, item, status: 'completed', output };
        } catch (error) {
          if (rest.aborted) return { index, item, status: 'cancelled', output: null };
          journal.item(step.id, index, 'failed');
          first ??= error;
          if (!goesOn) rest.abort(error);
          return { index, item, status: 'failed', output: null, error: describeError(error) };
        } finally {
          retried.failed += attempts.failed;
        }
      }),
    ),
  ).finally(() => rest.detach());
  if (signal.aborted) throw signal.reason;
  if (first !== undefined && !goesOn) throw first;
  const completed = iterations.filter(({ status }) => status === 'completed').length;
  const count = iterations.length;
  return { output: { iterations, count, completed, failed: count - completed }, content: [] };
}

function renderItems({ collection, maxIterations }: ForEachStep, scope: WorkflowScope): readonly unknown[] {
  const text = render(collection, scope, 'the collection');
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch {
    throw new WorkflowError('the template of the collection does not render to JSON: use `{{ json … }}`', 'collection');
  }
  if (!Array.isArray(items))
    throw new WorkflowError('the template of the collection does not render to a JSON array', 'collection');
  if (items.length > maxIterations)
    throw new WorkflowError(
      `the collection has ${items.length} items, at most ${maxIterations} are accepted`,
      'collection',
    );
  return items;
}
