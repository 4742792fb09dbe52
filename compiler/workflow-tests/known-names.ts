/** The names that workflow tests may use. */

import { findNearest } from '#shared/util';
import { resolveStepTarget } from '../analysis/gateway/composites.ts';
import type { ToolModel } from '../analysis/gateway/model.ts';
import type { TestedWorkflow } from './planned-test.ts';

/** An unknown name in a test: why it is invalid, and what was probably meant. */
export interface UnknownName {
  readonly message: string;
  readonly fix?: string;
}

/** A tool that the workflow calls, by one of its possible names in steps. */
export function findCalledTool({ gateway, composite }: TestedWorkflow, name: string): ToolModel | UnknownName {
  const target = resolveStepTarget(name, gateway);
  const called = composite.calls.flatMap(({ target }) => (target.type === 'tool' ? [target.tool] : []));
  if (target.type === 'tool' && called.includes(target.tool)) return target.tool;
  const names = composite.calls.map(({ call }) => call.tool ?? '');
  return createUnknownName(`no step of "${composite.name}" calls a tool "${name}"`, name, names);
}

/** @param type of the step; default: any. Undefined when such a step exists */
export function findUnknownStep(
  { composite }: TestedWorkflow,
  id: string,
  type?: 'elicitation',
): UnknownName | undefined {
  const ids = composite.tool.steps.flatMap(step => (type === undefined || step.type === type ? [step.id] : []));
  if (ids.includes(id)) return undefined;
  const what = type === undefined ? `no step "${id}"` : `no step "${id}" that asks a person`;
  return createUnknownName(`"${composite.name}" has ${what}`, id, ids);
}

export function createUnknownName(message: string, name: string, names: readonly string[]): UnknownName {
  const near = findNearest(name, names);
  return near === undefined ? { message } : { message, fix: `did you mean "${near}"?` };
}
