import type { VirtualMCPServerSpec } from '#schemas';
import { findOwner, findStepTool } from '#shared/plan';
import { type CompositeTool, listCompositeTools, type Step } from '../../resolve/composite-tools.ts';
import type { Inventory, Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';
import type { BackendModel, ToolModel } from './model.ts';
import type { ToolNames } from './tool-names.ts';

/** A composite tool of a gateway, and where it is defined: inline or in an object of its own. */
export interface CompositeModel {
  readonly name: string;
  readonly tool: CompositeTool;
  readonly resource: Resource;
  /** The path of the workflow, from the root of the object. */
  readonly path: Path;
  /** Every tool call, in step order, including calls that a `forEach` repeats. */
  readonly calls: readonly StepCall[];
}

export interface StepCall {
  readonly step: Step;
  readonly path: Path;
  /** The call in the spec, with `tool` and `arguments`. Differs from `step` inside of a `forEach`. */
  readonly call: Pick<Step, 'id' | 'tool' | 'arguments'>;
  readonly callPath: Path;
  readonly target: StepTarget;
}

export type StepTarget =
  | { readonly type: 'tool'; readonly tool: ToolModel }
  /** `certain`: all backends that may have the tool are in the catalog. */
  | { readonly type: 'unknown'; readonly certain: boolean; readonly backend?: string };

/** Tools that steps can call. */
export interface Callable {
  readonly backends: readonly BackendModel[];
  readonly toolNames: ToolNames;
  readonly isLocked: boolean;
}

export function resolveComposites(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  callable: Callable,
): readonly CompositeModel[] {
  const references = gateway.spec.config?.compositeToolRefs ?? [];
  const definitions = references.flatMap(
    ({ name }) => inventory.find('VirtualMCPCompositeToolDefinition', gateway.namespace, name) ?? [],
  );
  return [gateway, ...definitions].flatMap(resource =>
    listCompositeTools(resource).map(({ tool, path }) => ({
      name: tool.name,
      tool,
      resource,
      path,
      calls: tool.steps.flatMap((step, index) => listCalls(step, [...path, 'steps', index], callable)),
    })),
  );
}

function listCalls(step: Step, path: Path, callable: Callable): readonly StepCall[] {
  if (step.type === 'elicitation') return [];
  const [call, callPath] = step.type === 'forEach' ? [step.step, [...path, 'step']] : [step, path];
  if (call?.tool === undefined || call.tool === '') return [];
  return [{ step, path, call, callPath, target: resolveStepTarget(call.tool, callable) }];
}

/** The tool that a step refers to. */
export function resolveStepTarget(reference: string, { backends, toolNames, isLocked }: Callable): StepTarget {
  const names = backends.map(({ name }) => name);
  const tool = findStepTool(reference, names, toolNames);
  if (tool !== undefined) return { type: 'tool', tool };
  const owner = findOwner(reference, names);
  if (owner === undefined) return { type: 'unknown', certain: isLocked };
  const isKnown = backends.every(({ name, locked }) => locked !== undefined || name !== owner);
  return { type: 'unknown', certain: isKnown, backend: owner };
}
