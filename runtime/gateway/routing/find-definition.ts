import type { CedarAction } from '#shared/plan';
import type { RoutingTable } from './table.ts';

/** A tool or prompt in the form that clients see; undefined for one that no list contains. Parses it, so use it rarely. */
export function findDefinition({ lists }: Pick<RoutingTable, 'lists'>, action: CedarAction, item: string): unknown {
  const list = action === 'call_tool' ? lists.tools : lists.prompts;
  const found = list.items.find(({ key }) => key === item);
  return found && (JSON.parse(found.json) as unknown);
}
