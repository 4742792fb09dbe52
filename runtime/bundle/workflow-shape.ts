/** The shape of a gateway's workflows. Templates have a check of their own, because they may be nested deeply. */
import { MAX_TEMPLATE_DEPTH } from '#schemas';
import {
  count,
  findProblem,
  milliseconds,
  nullable,
  object,
  oneOf,
  record,
  type Shape,
  string,
  type ValueCheck,
  variants,
} from './checks.ts';

const KINDS: ReadonlySet<unknown> = new Set([
  'action',
  'bool',
  'break',
  'chain',
  'continue',
  'dot',
  'field',
  'float',
  'function',
  'if',
  'int',
  'nil',
  'pipe',
  'range',
  'string',
  'text',
  'variable',
  'with',
]);

/** How many levels of JSON one level of a template has in the bundle. */
const LEVELS_OF_ONE = 8;

/** Checks the members of a template on which the evaluator relies: lists where it expects lists, and known kinds of nodes. */
const template: ValueCheck = value => {
  const isTree = findProblem(value, { nodes: [object] }, '') === undefined;
  return isTree && isSound(value, MAX_TEMPLATE_DEPTH * LEVELS_OF_ONE) ? undefined : 'is not a template';
};

function isSound(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every(item => isSound(item, levels - 1));
  return Object.entries(value).every(([name, member]) => {
    if (name === 'kind') return KINDS.has(member);
    const isList = ['nodes', 'body', 'otherwise', 'commands', 'operands', 'variables', 'path', 'at'].includes(name);
    return isList === Array.isArray(member) && isSound(member, levels - 1);
  });
}

const type = oneOf('string', 'integer', 'number', 'boolean', 'object', 'array');

/** Requires exactly one of two members. */
function requireEither(members: { readonly [name: string]: Shape }): ValueCheck {
  return value => {
    const problem = object(value);
    if (problem !== undefined) return problem;
    const [first, ...others] = Object.entries(members).filter(([name]) => Object.hasOwn(value as object, name));
    if (first === undefined || others.length > 0) return `has not exactly one of ${Object.keys(members).join(' and ')}`;
    const [name, shape] = first;
    const inner = findProblem((value as Record<string, unknown>)[name], shape, name);
    return inner === undefined ? undefined : `has a member that is not valid: ${inner}`;
  };
}

const anything: ValueCheck = () => undefined;

const CALL: Shape = { reference: string, arguments: record(requireEither({ template, value: anything })) };

const ON_ERROR: Shape = variants('action', { abort: {}, continue: {}, retry: { count, delayMs: count } });

const unanswered = oneOf('abort', 'continue', 'skip_remaining');

const COMMON = {
  id: string,
  dependsOn: [string],
  condition: nullable(template),
  timeoutMs: milliseconds,
  onError: ON_ERROR,
} as const;

const STEP: Shape = variants('type', {
  tool: { ...COMMON, call: CALL },
  elicitation: { ...COMMON, message: template, schema: object, onDecline: unanswered, onCancel: unanswered },
  forEach: {
    ...COMMON,
    collection: template,
    itemVar: string,
    maxParallel: count,
    maxIterations: count,
    call: CALL,
    callOnError: ON_ERROR,
  },
});

const propertyProblem: ValueCheck = value => {
  const inner = findProblem(
    value,
    { type, from: requireEither({ template, properties: record(propertyProblem) }) },
    'property',
  );
  return inner === undefined ? undefined : `is not a valid property: ${inner}`;
};

export const WORKFLOWS: Shape = [
  {
    name: string,
    description: string,
    parameters: object,
    annotations: object,
    outputSchema: nullable(object),
    timeoutMs: milliseconds,
    steps: [STEP],
    output: nullable({ properties: record(propertyProblem), required: [string] }),
  },
];

/** Checks that a step waits only for earlier steps, and that its id is unique. */
export function findWorkflowsProblem(
  workflows: readonly { readonly name: string; readonly steps: readonly StepOrder[] }[] = [],
): string | undefined {
  const names = new Set<string>();
  for (const [index, { name, steps }] of workflows.entries()) {
    if (names.has(name)) return `"workflows" has two items with the name "${name}"`;
    names.add(name);
    const before = new Set<string>();
    for (const [at, { id, dependsOn }] of steps.entries()) {
      const stepTitle = `"workflows[${index}].steps[${at}]"`;
      if (before.has(id)) return `${stepTitle} has the id of another step`;
      if (!dependsOn.every(value => before.has(value))) return `${stepTitle} waits for a step that is not before it`;
      before.add(id);
    }
  }
  return undefined;
}

interface StepOrder {
  readonly id: string;
  readonly dependsOn: readonly string[];
}
