/**
 * The indirect access in a matrix: a caller of a workflow reaches each tool that the workflow calls, because its steps are not authorized
 * again.
 */
import { compareText } from '#schemas';
import type { GatewayModel } from '../gateway/model.ts';
import type { MatrixItem } from './matrix.ts';
import type { FindOrigin } from './origin.ts';

/**
 * Adds to each tool the workflows through which each persona reaches it, and an item for each hidden tool that a workflow calls.
 *
 * @param items what the gateway offers, workflows included
 */
export function addWorkflowPaths(
  gateway: GatewayModel,
  findOrigin: FindOrigin,
  personas: readonly string[],
  items: readonly MatrixItem[],
): readonly MatrixItem[] {
  const [offered, others] = [items.filter(isTool), items.filter(item => !isTool(item))];
  const byName = new Map(offered.map(item => [item.name, item]));
  const workflowsByTool = listWorkflowsByTool(gateway, byName);
  const access = Object.fromEntries(personas.map(persona => [persona, 'no' as const]));
  const hidden = [...workflowsByTool.keys()]
    .filter(name => !byName.has(name))
    .map((name): MatrixItem => ({ type: 'tool', name, hidden: true, ...findOrigin('tool', name), access }));
  const tools = [...offered, ...hidden]
    .sort((a, b) => compareText(a.name, b.name))
    .map(item => {
      const workflows = workflowsByTool.get(item.name) ?? [];
      const through = personas.flatMap(persona => {
        const callable = workflows.filter(workflow => (byName.get(workflow)?.access[persona] ?? 'no') !== 'no');
        return callable.length === 0 ? [] : [[persona, callable] as const];
      });
      return through.length === 0 ? item : { ...item, through: Object.fromEntries(through) };
    });
  return [...tools, ...others];
}

/** The offered workflows that call each tool, sorted by name. */
function listWorkflowsByTool(
  gateway: GatewayModel,
  offered: ReadonlyMap<string, MatrixItem>,
): ReadonlyMap<string, readonly string[]> {
  const calls = gateway.composites
    .filter(({ name }) => offered.has(name))
    .flatMap(({ name, calls }) =>
      calls.flatMap(({ target }) => (target.type === 'tool' ? [{ workflow: name, tool: target.tool.name }] : [])),
    );
  const byTool = Map.groupBy(calls, ({ tool }) => tool);
  return new Map(
    [...byTool].map(([tool, callers]) => [
      tool,
      [...new Set(callers.map(({ workflow }) => workflow))].sort(compareText),
    ]),
  );
}

function isTool({ type }: MatrixItem): boolean {
  return type === 'tool';
}
