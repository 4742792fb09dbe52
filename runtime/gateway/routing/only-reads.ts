import { isObject } from '#schemas';
import type { RoutingTable } from './table.ts';

/** Methods that change nothing by the definition of MCP. */
const READING: ReadonlySet<string> = new Set([
  'completion/complete',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tools/list',
]);

/**
 * Whether a request has no effect: its method only reads, or it calls a tool that is marked as read-only, by its backend or by an override.
 * @param name the name of the tool; undefined for other methods
 */
export function onlyReads({ tools }: Pick<RoutingTable, 'tools'>, method: string, name: string | undefined): boolean {
  if (method !== 'tools/call') return READING.has(method);
  const annotations = name === undefined ? undefined : tools.get(name)?.annotations;
  return isObject(annotations) && annotations.readOnlyHint === true;
}
