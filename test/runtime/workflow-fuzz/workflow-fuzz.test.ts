/**
 * Random workflows in virtual time, with tools that fail, hang and are slow, users who answer at random, and clients that disconnect: every run
 * ends, and follows the rules. `LINTEL_PROPERTIES=all` makes it 5,000 runs.
 */
import { expect, test } from 'vitest';
import { runWorkflow, type ToolResult, type WorkflowHost, type WorkflowRun } from '#runtime';
import { type ErrorPolicy, MAX_PARALLEL_STEPS, MAX_RETRIES, type WorkflowStep } from '#schemas';
import type { AbortSource } from '#shared/util';
import { VirtualTime } from '../../../runtime/index.ts';
import { Random, type RandomPlan, randomPlan } from './random-plan.ts';

const RUNS = process.env.LINTEL_PROPERTIES === 'all' ? 5_000 : 300;
const FIRST = Number(process.env.LINTEL_SEED ?? 1);

/** A time in milliseconds that is longer than any run may take. */
const AFTERWARDS_MS = 10_000_000;

interface Call {
  readonly step: string;
  readonly signal: AbortSource;
  result: 'pending' | 'answered' | 'failed';
}

interface Observed {
  readonly run: WorkflowRun;
  readonly calls: readonly Call[];
  readonly changes: readonly { readonly step: string; readonly status: string }[];
  readonly durationMs: number;
  readonly cancelAfterMs: number | undefined;
  /** Most steps with concurrent calls, and most concurrent calls of each step. */
  readonly most: number;
  readonly mostOf: ReadonlyMap<string, number>;
  /** What happened after the end. */
  readonly late: readonly string[];
}

async function observe({ plan }: RandomPlan, random: Random): Promise<Observed> {
  const time = new VirtualTime(0);
  const calls: Call[] = [];
  const changes: { step: string; status: string }[] = [];
  const late: string[] = [];
  const mostOf = new Map<string, number>();
  let isOver = false;
  let most = 0;
  const takes = () => (random.chance(0.05) ? 100_000 : random.pick([0, 0, 10, 90, 400]));
  const after = (milliseconds: number) => new Promise<void>(resolve => time.after(milliseconds, resolve));
  const host: WorkflowHost = {
    id: 'fuzz',
    now: () => time.now(),
    after: (milliseconds, then) => time.after(milliseconds, then),
    random: () => random.next(),
    callTool: async (_call, _args, step, signal): Promise<ToolResult> => {
      if (isOver) late.push(`call of ${step}`);
      const call: Call = { step, signal, result: 'pending' };
      calls.push(call);
      const waiting = calls.filter(one => one.result === 'pending' && !one.signal.aborted);
      most = Math.max(most, new Set(waiting.map(one => one.step)).size);
      mostOf.set(step, Math.max(mostOf.get(step) ?? 0, waiting.filter(one => one.step === step).length));
      const outcome = random.next();
      const milliseconds = takes();
      if (milliseconds > 0) await after(milliseconds);
      call.result = outcome < 0.7 ? 'answered' : 'failed';
      if (outcome >= 0.85) throw new Error('no connection');
      return outcome < 0.7
        ? { structuredContent: { step } }
        : { isError: true, content: [{ type: 'text', text: 'no' }] };
    },
    elicit: async (_message, _schema, step) => {
      if (isOver) late.push(`question of ${step}`);
      const outcome = random.next();
      await after(takes());
      if (outcome < 0.05) throw new Error('the client cannot be asked');
      return { action: outcome < 0.5 ? 'accept' : outcome < 0.75 ? 'decline' : 'cancel' };
    },
    stepChanged: ({ id }, { status }) => {
      if (isOver) late.push(`${id} ${status}`);
      changes.push({ step: id, status });
    },
  };
  const client = new AbortController();
  const cancelAfterMs = random.chance(0.3) ? random.below(1_500) : undefined;
  if (cancelAfterMs !== undefined) time.after(cancelAfterMs, () => client.abort(new Error('the client went away')));
  const run = await time.until(runWorkflow(plan, {}, host, client.signal));
  isOver = true;
  const durationMs = time.now();
  const unanswered = calls.filter(({ result, signal }) => result === 'pending' && !signal.aborted);
  late.push(...unanswered.map(({ step }) => `nothing waits for a call of ${step}, and it was not called off`));
  await time.until(after(AFTERWARDS_MS));
  return { run, calls, changes, durationMs, cancelAfterMs, most, mostOf, late };
}

/** Violated rules, as sentences. */
function broken({ plan, facts }: RandomPlan, seen: Observed): readonly string[] {
  const { run, calls, changes, durationMs, cancelAfterMs, most, mostOf, late } = seen;
  const problems: string[] = [...late.map(what => `after the end: ${what}`)];
  const say = (isWrong: boolean, text: string) => {
    if (isWrong) problems.push(text);
  };
  say(durationMs > plan.timeoutMs, `it took ${durationMs} ms of ${plan.timeoutMs}`);
  say(
    cancelAfterMs !== undefined && durationMs > cancelAfterMs,
    `it went on after it was called off: ${durationMs} ms`,
  );
  say(most > MAX_PARALLEL_STEPS, `${most} steps at the same time`);

  const outcomes = new Map(run.outcomes.map(one => [one.step, one]));
  say(run.outcomes.map(({ step }) => step).join() !== plan.steps.map(({ id }) => id).join(), 'steps are missing');
  for (const step of plan.steps) {
    const { id } = step;
    const { condition = null, items = 0 } = facts.get(id) ?? {};
    const own = changes.flatMap((change, at) => (change.step === id ? [{ ...change, at }] : []));
    const story = own.map(({ status }) => status).join(' ');
    const outcome = outcomes.get(id);
    const made = calls.filter(call => call.step === id);
    const what = `${id} (${step.type}) is ${outcome?.outcome}, went through "${story}" with ${made.length} calls: `;

    say(!STORIES[outcome?.outcome ?? '']?.includes(story), `${what}these do not agree`);
    say(made.length > 0 && !story.startsWith('running'), `${what}it called without having started`);
    say(condition === false && story.startsWith('running'), `${what}its condition is false`);
    const isCutShort = run.outcomes.some(({ step: other }) => isSkipping(plan.steps.find(one => one.id === other)));
    say(condition !== false && story === 'skipped' && !isCutShort, `${what}its condition is true`);

    const start = own[0]?.at ?? Number.POSITIVE_INFINITY;
    for (const before of own.length === 0 ? [] : step.dependsOn) {
      const end = changes.findLastIndex(change => change.step === before);
      say(end === -1 || end > start || changes[end]?.status === 'running', `${what}it did not wait for ${before}`);
    }
    if (step.type === 'tool') {
      say(made.length > attempts(step.onError), `${what}too many attempts`);
      say(outcome?.outcome === 'done' && made.at(-1)?.result !== 'answered', `${what}without an answer`);
      say(
        made.slice(0, -1).some(({ result }) => result !== 'failed'),
        `${what}a further attempt after no failure`,
      );
    }
    if (step.type === 'forEach' && outcome?.items !== undefined) {
      const counts = outcome.items;
      const sum = Object.values(counts).reduce((total, count) => total + (count ?? 0), 0);
      const started = sum - (counts.not_started ?? 0);
      say(sum !== items, `${what}${sum} items are reported, and there are ${items}`);
      say(made.length < started || made.length > started * attempts(step.callOnError), `${what}${started} items`);
      say(
        made.filter(({ result }) => result === 'answered').length < (counts.done ?? 0),
        `${what}items without answers`,
      );
      say((mostOf.get(id) ?? 0) > step.maxParallel, `${what}${mostOf.get(id)} at the same time`);
      say(outcome.outcome === 'done' && (counts.unknown ?? 0) + (counts.not_started ?? 0) > 0, `${what}items are left`);
    }
    say(
      run.status === 'completed' &&
        ['unknown', 'failed'].includes(outcome?.outcome ?? '') &&
        step.onError.action !== 'continue',
      `${what}and yet the workflow completed`,
    );
    say(run.status === 'completed' && outcome?.outcome === 'not_started', `${what}and yet the workflow completed`);
  }
  const ended = run.failure?.step;
  if (ended !== undefined) {
    const { outcome = '' } = outcomes.get(ended) ?? {};
    const { onError } = plan.steps.find(({ id }) => id === ended) ?? {};
    say(!['failed', 'unknown'].includes(outcome), `the step that ended it, ${ended}, is ${outcome}`);
    say(onError?.action === 'continue', `the step that ended it, ${ended}, was to go on`);
  }
  say((run.status === 'failed') !== (run.failure !== undefined), 'it failed without a reason');
  return problems;
}

/** The possible histories of a step, by its outcome. */
const STORIES: { readonly [outcome: string]: readonly string[] } = {
  done: ['running completed'],
  skipped: ['skipped'],
  failed: ['running failed', 'failed'],
  unknown: ['running failed'],
  not_started: [''],
};

function attempts(policy: ErrorPolicy): number {
  return policy.action === 'retry' ? 1 + Math.min(policy.count, MAX_RETRIES) : 1;
}

function isSkipping(step: WorkflowStep | undefined): boolean {
  return step?.type === 'elicitation' && [step.onDecline, step.onCancel].includes('skip_remaining');
}

test(`${RUNS} random workflows end and follow the rules`, async () => {
  const ends = new Map<string, number>();
  for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
    const random = new Random(seed);
    const planned = randomPlan(random);
    const seen = await observe(planned, random);
    expect(broken(planned, seen), `LINTEL_SEED=${seed}`).toEqual([]);
    const end = seen.run.failure?.reason ?? seen.run.status;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  // The random behaviour is as varied as intended.
  if (RUNS >= 300)
    expect([...ends.keys()]).toEqual(expect.arrayContaining(['completed', 'tool_error', 'timeout', 'declined']));
});
