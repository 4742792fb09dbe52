import { MAX_PARALLEL_STEPS, type WorkflowPlan } from '#schemas';

/** What all runs of a plan have in common. */
export interface PreparedPlan {
  /** The defaults of the parameters. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Whether more steps may be ready at once than may run at once. */
  readonly mayWait: boolean;
}

const PREPARED = new WeakMap<WorkflowPlan, PreparedPlan>();

/** Prepares a plan once for all its runs, because short workflows run often. */
export function preparePlan(plan: WorkflowPlan): PreparedPlan {
  const known = PREPARED.get(plan);
  if (known !== undefined) return known;
  const prepared = { defaults: readDefaults(plan.parameters), mayWait: plan.steps.length > MAX_PARALLEL_STEPS };
  PREPARED.set(plan, prepared);
  return prepared;
}

/** Reads the defaults of the properties of a JSON Schema. */
function readDefaults({ properties }: WorkflowPlan['parameters']): Record<string, unknown> {
  if (typeof properties !== 'object' || properties === null) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      typeof schema === 'object' && schema !== null && 'default' in schema ? [[name, schema.default]] : [],
    ),
  );
}
