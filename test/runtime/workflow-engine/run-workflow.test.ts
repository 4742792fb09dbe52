import { describe, expect, test } from 'vitest';
import { type ElicitationResult, runWorkflow, type ToolResult, WorkflowError, type WorkflowHost } from '#runtime';
import type { WorkflowPlan, WorkflowStep } from '#schemas';
import type { AbortSource } from '#shared/util';
import { VirtualTime } from '../../../runtime/index.ts';

const POLICY = { action: 'abort' } as const;

function toolStep(id: string, dependsOn: readonly string[] = [], more: Partial<WorkflowStep> = {}): WorkflowStep {
  const call = { backend: 'b', tool: id, arguments: {} };
  return {
    id,
    dependsOn,
    type: 'tool',
    condition: null,
    timeoutMs: 1_000,
    onError: POLICY,
    call,
    ...more,
  } as WorkflowStep;
}

function question(id: string, more: Partial<WorkflowStep> = {}): WorkflowStep {
  return {
    id,
    dependsOn: [],
    type: 'elicitation',
    condition: null,
    timeoutMs: 1_000,
    onError: POLICY,
    message: { nodes: [] },
    schema: { type: 'object' },
    onDecline: 'abort',
    onCancel: 'abort',
    ...more,
  } as unknown as WorkflowStep;
}

interface Behaviour {
  readonly tools?: Readonly<Record<string, (signal: AbortSource) => Promise<ToolResult>>>;
  readonly answer?: () => Promise<ElicitationResult>;
}

const forever = () => new Promise<never>(() => {});

async function run(steps: readonly WorkflowStep[], { tools = {}, answer = forever }: Behaviour, stopAfterMs?: number) {
  const time = new VirtualTime(0);
  const calls: string[] = [];
  const changes: string[] = [];
  const host: WorkflowHost = {
    id: 'r',
    now: () => time.now(),
    after: (ms, then) => time.after(ms, then),
    random: () => 0.5,
    callTool: (_call, _args, step, signal) => {
      calls.push(step);
      return tools[step]?.(signal) ?? Promise.resolve({ structuredContent: { step } });
    },
    elicit: answer,
    stepChanged: ({ id }, { status }) => changes.push(`${id} ${status}`),
  };
  const stop = new AbortController();
  if (stopAfterMs !== undefined)
    time.after(stopAfterMs, () => stop.abort(new WorkflowError('the client has gone', 'stopped')));
  const plan: WorkflowPlan = { name: 'w', parameters: {}, timeoutMs: 60_000, steps, output: null };
  const done = await time.until(runWorkflow(plan, {}, host, stop.signal));
  return { ...done, calls, changes, endedAt: time.now() };
}

const fails = (error: Error) => () => Promise.reject(error);

describe('a failure in the middle', () => {
  test('a workflow that fails reports which steps were done, failed, may have been done, and were not started', async () => {
    const steps = [toolStep('a'), toolStep('b', ['a']), toolStep('slow', ['a']), toolStep('c', ['b', 'slow'])];
    const done = await run(steps, {
      tools: { b: fails(new WorkflowError('secret text', 'tool_error')), slow: forever },
    });
    expect(done.outcomes).toEqual([
      { step: 'a', outcome: 'done' },
      { step: 'b', outcome: 'failed', reason: 'tool_error' },
      { step: 'slow', outcome: 'unknown', reason: 'tool_error' },
      { step: 'c', outcome: 'not_started' },
    ]);
    expect(done.failure).toEqual({ step: 'b', reason: 'tool_error' });
    expect([done.endedAt, done.calls]).toEqual([0, ['a', 'b', 'slow']]);
  });

  test('a workflow that fails in an item of a repeated step reports how many items were done, failed and not started', async () => {
    let count = 0;
    const each = toolStep('each', [], {
      type: 'forEach',
      collection: { nodes: [{ kind: 'text', text: '[1,2,3,4]' }] },
      itemVar: 'item',
      maxParallel: 1,
      maxIterations: 10,
      callOnError: POLICY,
    } as never);
    const each2 = () => (++count === 3 ? Promise.reject(new Error('no')) : Promise.resolve({}));
    const { outcomes } = await run([each], { tools: { each: each2 } });
    expect(outcomes).toEqual([
      { step: 'each', outcome: 'failed', reason: 'call_failed', items: { done: 2, failed: 1, not_started: 1 } },
    ]);
  });
});

describe('a run that is called off', () => {
  test('a cancelled run ends at once, starts no further step and reports running steps as unknown', async () => {
    const signals: AbortSource[] = [];
    const slow = (signal: AbortSource) => {
      signals.push(signal);
      return forever();
    };
    const done = await run([toolStep('slow'), toolStep('next', ['slow'])], { tools: { slow } }, 10);
    expect(done).toMatchObject({
      status: 'failed',
      endedAt: 10,
      calls: ['slow'],
      failure: { step: undefined, reason: 'stopped' },
    });
    expect(signals[0]?.aborted).toBe(true);
    expect(done.outcomes).toEqual([
      { step: 'slow', outcome: 'unknown', reason: 'stopped' },
      { step: 'next', outcome: 'not_started' },
    ]);
  });

  test('a cancelled workflow run does not start the steps that wait for a running step to end', async () => {
    const steps = Array.from({ length: 25 }, (_, at) => toolStep(`s${at}`));
    const tools = Object.fromEntries(steps.map(({ id }) => [id, forever]));
    const done = await run(steps, { tools }, 10);
    expect(done.calls).toHaveLength(10);
    expect(done.outcomes.filter(({ outcome }) => outcome === 'not_started')).toHaveLength(15);
  });
});

describe('a question that gets no answer in time', () => {
  test('a question of a workflow that is not answered in time counts as dismissed by the person', async () => {
    const after = toolStep('after', ['ask']);
    const done = await run([question('ask', { onCancel: 'continue' } as never), after], {});
    expect(done).toMatchObject({ status: 'completed', endedAt: 1_000, calls: ['after'] });
    expect(done.steps.ask?.output).toEqual({ action: 'cancel' });
  });
  test('a question that is not answered in time ends the workflow if the step does not handle this case', async () => {
    const done = await run([question('ask')], {});
    expect(done.failure).toEqual({ step: 'ask', reason: 'dismissed' });
  });
});

test('the listener of a run is notified of every change of a step', async () => {
  const { changes } = await run([toolStep('a'), toolStep('b', ['a'])], { tools: { b: fails(new Error('x')) } });
  expect(changes).toEqual(['a running', 'a completed', 'b running', 'b failed']);
});
