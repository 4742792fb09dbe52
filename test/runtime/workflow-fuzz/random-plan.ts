/** Random workflows, from a seed. */
import type { ErrorPolicy, TemplateTree, WorkflowPlan, WorkflowStep } from '#schemas';
import { parseTemplate } from '../../../compiler/analysis/templates/index.ts';

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** The next pseudorandom number, from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** What the generator knows about a step besides its plan. */
export interface StepFacts {
  /** The value of the step's condition; null if it has none. */
  readonly condition: boolean | null;
  /** The number of items of a forEach step. */
  readonly items: number;
}

export interface RandomPlan {
  readonly plan: WorkflowPlan;
  readonly facts: ReadonlyMap<string, StepFacts>;
}

export function randomPlan(random: Random): RandomPlan {
  const facts = new Map<string, StepFacts>();
  const ids = Array.from({ length: 1 + random.below(14) }, (_, index) => `s${index}`);
  const steps = ids.map((id, index): WorkflowStep => {
    const condition = random.chance(0.25) ? random.chance(0.6) : null;
    const items = random.below(14);
    facts.set(id, { condition, items });
    const common = {
      id,
      dependsOn: ids.slice(0, index).filter(() => random.chance(0.3)),
      condition: condition === null ? null : tree(String(condition)),
      timeoutMs: random.pick([50, 200, 1_000, 10_000]),
      onError: policy(random),
      defaultResults: { from: 'defaults' },
    };
    const call = { backend: 'b', tool: id, arguments: {} };
    const type = random.pick(['tool', 'tool', 'tool', 'elicitation', 'forEach'] as const);
    if (type === 'tool') return { ...common, type, call };
    if (type === 'elicitation') {
      const actions = ['abort', 'continue', 'skip_remaining'] as const;
      return {
        ...common,
        type,
        message: tree('?'),
        schema: { type: 'object' },
        onDecline: random.pick(actions),
        onCancel: random.pick(actions),
      };
    }
    return {
      ...common,
      type,
      collection: tree(JSON.stringify(Array.from({ length: items }, (_, at) => at))),
      itemVar: 'item',
      maxParallel: 1 + random.below(12),
      maxIterations: 12,
      call,
      callOnError: policy(random),
    };
  });
  const plan = {
    name: 'w',
    parameters: { type: 'object' },
    timeoutMs: random.pick([300, 3_000, 60_000]),
    steps,
    output: null,
  };
  return { plan, facts };
}

function policy(random: Random): ErrorPolicy {
  const action = random.pick(['abort', 'continue', 'continue', 'retry'] as const);
  return action === 'retry' ? { action, count: 1 + random.below(12), delayMs: random.below(100) } : { action };
}

function tree(text: string): TemplateTree {
  const parsed = parseTemplate(text);
  if ('errors' in parsed) throw new Error(text);
  return parsed.tree;
}
