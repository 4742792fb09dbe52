import { type CedarAction, isObject } from '#schemas';
import type { RoutingTable } from './table.ts';

/** Whether a tool or prompt says that it has an argument of this very name. Reads its definition again: for rare questions. */
export function declaresArgument(
  { lists }: Pick<RoutingTable, 'lists'>,
  action: CedarAction,
  item: string,
  argument: string,
): boolean {
  const list = action === 'call_tool' ? lists.tools : lists.prompts;
  const found = list.items.find(({ key }) => key === item);
  if (found === undefined) return false;
  const { inputSchema, arguments: declared } = JSON.parse(found.json) as {
    readonly inputSchema?: unknown;
    readonly arguments?: unknown;
  };
  if (action !== 'call_tool')
    return Array.isArray(declared) && declared.some(one => isObject(one) && one.name === argument);
  return isObject(inputSchema) && isObject(inputSchema.properties) && Object.hasOwn(inputSchema.properties, argument);
}
