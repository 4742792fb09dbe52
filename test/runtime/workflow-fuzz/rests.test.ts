/**
 * Random workflows whose elicitations are answered at once, and the same workflows suspended at each elicitation and resumed from stored text:
 * both have the same result and the same calls. `LINTEL_PROPERTIES=all` makes it 5,000 runs.
 */
import { expect, test } from 'vitest';
import { runWorkflow, type WorkflowHost, type WorkflowRun } from '#runtime';
import type { WorkflowPlan, WorkflowStep } from '#schemas';
import { VirtualTime } from '../../../runtime/index.ts';
import { Random, randomPlan } from './random-plan.ts';

const { LINTEL_PROPERTIES } = process.env;
const RUNS = LINTEL_PROPERTIES === 'all' ? 5_000 : 200;

type RunState = NonNullable<Parameters<typeof runWorkflow>[4]>;

interface Ended {
  readonly run: WorkflowRun;
  readonly calls: readonly string[];
  readonly rests: number;
}

/** Which step aborts others depends on timing, so no step aborts others here and no time limit is reached. */
function unhurried(plan: WorkflowPlan): WorkflowPlan {
  const goesOn = (step: WorkflowStep): WorkflowStep => ({
    ...step,
    timeoutMs: 1_000_000,
    ...(step.onError.action === 'abort' ? { onError: { action: 'continue' } as const } : {}),
    ...(step.onError.action === 'retry' ? { onError: { ...step.onError, count: 5 } } : {}),
    ...(step.type === 'elicitation' ? ({ onDecline: 'continue', onCancel: 'continue' } as const) : {}),
    ...(step.type === 'forEach' ? ({ maxIterations: 20, onError: { action: 'continue' } } as const) : {}),
  });
  return { ...plan, timeoutMs: 1_000_000_000, steps: plan.steps.map(goesOn) };
}

/** @param isAskedLater the run is suspended when only elicitations are pending, of which some are then answered */
async function observe(plan: WorkflowPlan, seed: number, isAskedLater: boolean): Promise<Ended> {
  const time = new VirtualTime(0);
  const random = new Random(seed);
  const calls: string[] = [];
  const attempts = new Map<string, number>();
  const answerOf = (step: string) => ({
    action: (['accept', 'decline', 'cancel'] as const)[(seed + step.length + step.charCodeAt(1)) % 3] ?? 'accept',
    content: { by: step },
  });
  let rest: RunState | undefined;
  const answered = new Set<string>();
  for (let rests = 0; ; rests += 1) {
    const stop = new AbortController();
    const running = new Set<string>();
    const asked = new Set<string>();
    let state: () => RunState = () => expect.fail('the run has not begun');
    // Time stands still meanwhile, so that no elicitation times out.
    const look = () =>
      void time.still(async () => {
        await new Promise(resolve => setImmediate(resolve));
        if (asked.size === 0 || asked.size !== running.size || stop.signal.aborted) return;
        rest = JSON.parse(JSON.stringify(state())) as RunState;
        stop.abort(new Error('at rest'));
      });
    const host: WorkflowHost = {
      id: 'rests',
      now: () => time.now(),
      after: (milliseconds, then) => time.after(milliseconds, then),
      random: () => 0.5,
      started: now => {
        state = now;
      },
      callTool: async (_call, args, step) => {
        calls.push(`${step} ${JSON.stringify(args)}`);
        const attempt = (attempts.get(step) ?? 0) + 1;
        attempts.set(step, attempt);
        // A tool's second attempt succeeds.
        if ((seed + step.charCodeAt(1) + attempt) % 3 === 0) throw new Error('no');
        return { structuredContent: { step } };
      },
      elicit: (_message, _schema, step, signal) => {
        if (!isAskedLater || answered.has(step)) return Promise.resolve(answerOf(step));
        asked.add(step);
        look();
        return new Promise((_, reject) =>
          signal.addEventListener('abort', { handleEvent: () => reject(signal.reason) }),
        );
      },
      stepChanged: ({ id }, { status }) => {
        if (status === 'running') running.add(id);
        else running.delete(id);
        look();
      },
    };
    const before: RunState | undefined = rest;
    const run = await time.until(runWorkflow(plan, { p: 1 }, host, stop.signal, before));
    if (!stop.signal.aborted) return { run, calls, rests };
    for (const step of asked) if (random.chance(0.7) || asked.size === 1) answered.add(step);
  }
}

test(`${RUNS} random workflows have the same outcome whether or not they are suspended at their questions`, async () => {
  let rested = 0;
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const plan = unhurried(randomPlan(new Random(seed)).plan);
    const [direct, later] = [await observe(plan, seed, false), await observe(plan, seed, true)];
    const { steps, outcomes, status } = later.run;
    expect({ steps, outcomes, status }, `seed ${seed}`).toEqual({
      steps: direct.run.steps,
      outcomes: direct.run.outcomes,
      status: direct.run.status,
    });
    expect(later.calls.toSorted(), `seed ${seed}`).toEqual(direct.calls.toSorted());
    rested += later.rests;
  }
  expect(rested).toBeGreaterThan(RUNS / 2);
}, 300_000);
