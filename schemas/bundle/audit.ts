/** What a gateway records of the requests that it gets. */
export interface AuditPlan {
  /** Name of the gateway in records. */
  readonly component: string;
  /** Types of events that are recorded; empty for all. */
  readonly eventTypes: readonly string[];
  /** Types of events that are not; stronger than `eventTypes`. */
  readonly excludeEventTypes: readonly string[];
  readonly includeRequestData: boolean;
  readonly includeResponseData: boolean;
  readonly detectApplicationErrors: boolean;
  /** Bytes of a request, and of a response, that one record keeps; 0 or more. */
  readonly maxDataBytes: number;
  /** Nested `act` claims that one record keeps; at least 1. */
  readonly maxDelegationDepth: number;
  /** Absolute path of the log; null for standard output. */
  readonly file: string | null;
}

/** Every type of event, as `eventTypes` names them and as records have them. */
export const AUDIT_EVENTS = [
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
  'sse_connection',
] as const;

export type AuditEvent = (typeof AUDIT_EVENTS)[number];
