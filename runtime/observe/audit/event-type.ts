import type { AuditEvent } from '#schemas';

const EVENT_OF_METHOD: ReadonlyMap<string, AuditEvent> = new Map([
  ['initialize', 'mcp_initialize'],
  ['ping', 'mcp_ping'],
  ['logging/setLevel', 'mcp_logging'],
  ['completion/complete', 'mcp_completion'],
  ['notifications/roots/list_changed', 'mcp_roots_list_changed'],
  ['tools/call', 'mcp_tool_call'],
  ['tools/list', 'mcp_tools_list'],
  ['resources/read', 'mcp_resource_read'],
  ['resources/list', 'mcp_resources_list'],
  ['resources/templates/list', 'mcp_resources_list'],
  ['prompts/get', 'mcp_prompt_get'],
  ['prompts/list', 'mcp_prompts_list'],
]);

/** The event type of an MCP message by its method; the method is empty for a client's answer to a question. */
export function classifyEvent(method: string): AuditEvent {
  return EVENT_OF_METHOD.get(method) ?? (method.startsWith('notifications/') ? 'mcp_notification' : 'mcp_request');
}

/** The type of item that the name in a message refers to. */
export function classifyTarget(method: string): 'tool' | 'resource' | 'prompt' | 'endpoint' {
  if (method === 'tools/call') return 'tool';
  if (method === 'prompts/get') return 'prompt';
  return method === 'resources/read' || method === 'resources/subscribe' || method === 'resources/unsubscribe'
    ? 'resource'
    : 'endpoint';
}
