import { ENV_PREFIX } from '../names.ts';

/** Environment variable of the runtime: URL of an OTLP collector that gets each record too. */
export const AUDIT_COLLECTOR_VARIABLE: string = `${ENV_PREFIX}AUDIT_OTLP_ENDPOINT`;

/** Which requests a gateway or registry server records, and where. */
export interface AuditPlan {
  /** Name of the gateway or registry server in records. */
  readonly component: string;
  /** Types of events to record; empty for all. */
  readonly eventTypes: readonly string[];
  /** Types of events not to record; wins over `eventTypes`. */
  readonly excludeEventTypes: readonly string[];
  readonly includeRequestData: boolean;
  readonly includeResponseData: boolean;
  readonly detectApplicationErrors: boolean;
  /** Maximum bytes of a request, and of a response, in one record; 0 or more. */
  readonly maxDataBytes: number;
  /** Maximum number of nested `act` claims in one record; at least 1. */
  readonly maxDelegationDepth: number;
  /** Absolute path of the log; null for standard output. */
  readonly file: string | null;
}

/** Every type of event, by its name in `eventTypes` and in records. */
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

/**
 * Every type of event that the configuration of a registry server may name. This server has routes for the first three, and refuses callers with
 * the last; the others are events of servers that also change or administer entries.
 */
export const REGISTRY_AUDIT_EVENTS = [
  'server.list',
  'server.versions.list',
  'server.version.read',
  ...(['skill', 'plugin'] as const).flatMap(
    kind => [`${kind}.list`, `${kind}.read`, `${kind}.versions.list`, `${kind}.version.read`] as const,
  ),
  ...(['source', 'registry'] as const).flatMap(
    kind =>
      [
        `${kind}.create`,
        `${kind}.update`,
        `${kind}.delete`,
        `${kind}.list`,
        `${kind}.read`,
        `${kind}.entries.list`,
      ] as const,
  ),
  'entry.publish',
  'entry.delete',
  'entry.claims.update',
  'entry.claims.read',
  'user.info',
  'auth.unauthenticated',
] as const;

export type AuditEvent = (typeof AUDIT_EVENTS)[number] | (typeof REGISTRY_AUDIT_EVENTS)[number];
