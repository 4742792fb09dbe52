import { quote } from '../check/describe.ts';
import { nearest } from '../check/nearest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './gateway-spec.ts';

/** What happens in a gateway, as audit records name it. */
const EVENTS: readonly string[] = [
  'mcp_initialize',
  'mcp_ping',
  'mcp_logging',
  'mcp_completion',
  'mcp_notification',
  'mcp_roots_list_changed',
  'mcp_tool_call',
  'mcp_tools_list',
  'mcp_resource_read',
  'mcp_resources_list',
  'mcp_prompt_get',
  'mcp_prompts_list',
  'vmcp_workflow_started',
  'vmcp_workflow_completed',
  'vmcp_workflow_failed',
  'vmcp_workflow_timed_out',
  'vmcp_workflow_step_started',
  'vmcp_workflow_step_completed',
  'vmcp_workflow_step_failed',
  'vmcp_workflow_step_skipped',
  'mcp_request',
  'http_request',
];

/** Events to record or to leave out are events that exist. */
export function auditEvents(resource: Resource): Diagnostic[] {
  const audit = gatewaySpec(resource)?.config?.audit;
  if (audit === undefined) return [];
  return (['eventTypes', 'excludeEventTypes'] as const).flatMap(field =>
    (audit[field] ?? []).flatMap((name, index) => {
      if (EVENTS.includes(name)) return [];
      const close = nearest(name, EVENTS);
      const details = close === undefined ? {} : { fix: `did you mean "${close}"?` };
      const path = ['spec', 'config', 'audit', field, index];
      return [diagnose(resource.document, 'LNT1011', path, `no audit event is named ${quote(name)}`, details)];
    }),
  );
}
