/** Every leaf of a workflow, and what a change of it means. Steps are found by their `id`. */
import { isObject } from '#schemas';
import { access, availability, type Comparison, type Leaves, opens, prefixLeaves } from './leaf.ts';
import {
  toArgumentView,
  toErrorPolicyView,
  toOutputPropertyView,
  toTemplateView,
  toValueView,
} from './workflow-view.ts';

/** The step waits for all named steps; their order has no meaning. */
const DEPENDENCIES: Comparison = {
  meaning: 'access',
  effect: ({ was, is }) => (isSameSet(was, is) ? 'same' : 'mixed'),
};

const CALL: Leaves = {
  '.reference': access(),
  '.arguments{}': access(toArgumentView),
};

/** An elicitation that is not answered in time counts as cancelled or as failed: the workflow may continue without an answer. */
const STEP_TIMEOUT: Comparison = {
  meaning: 'access',
  effect: ({ holders }) => ([holders.was, holders.is].some(isQuestion) ? 'mixed' : 'same'),
};

function isQuestion(step: unknown): boolean {
  return isObject(step) && step.type === 'elicitation';
}

const STEP: Leaves = {
  '': access(),
  '.id': access(),
  '.type': access(),
  '.dependsOn': DEPENDENCIES,
  '.condition': access(toTemplateView),
  '.timeoutMs': STEP_TIMEOUT,
  '.onError': access(toErrorPolicyView),
  '.defaultResults': access(toValueView),
  ...prefixLeaves('.call', CALL),
  '.collection': access(toTemplateView),
  '.itemVar': access(),
  '.maxParallel': availability(),
  // How many times the tool may be called.
  '.maxIterations': access(),
  '.callOnError': access(toErrorPolicyView),
  '.message': access(toTemplateView),
  '.schema': access(toValueView),
  '.onDecline': access(),
  '.onCancel': access(),
};

export const WORKFLOW_LEAVES: Leaves = {
  '': opens('access'),
  '.name': access(),
  '.description': access(),
  '.parameters': access(),
  '.annotations': access(),
  '.outputSchema': access(),
  '.timeoutMs': availability(),
  ...prefixLeaves('.steps[]', STEP),
  // Steps that may start at the same time start in this order, and the step that ends last may determine the output.
  '.steps[#]': access(),
  '.output': access(),
  '.output.properties{}': access(toOutputPropertyView),
  '.output.required': access(),
};

function isSameSet(was: unknown, is: unknown): boolean {
  if (!Array.isArray(was) || !Array.isArray(is)) return false;
  const [old, now] = [new Set<unknown>(was), new Set<unknown>(is)];
  return old.size === now.size && [...old].every(value => now.has(value));
}
