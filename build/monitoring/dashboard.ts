/** A dashboard for Grafana: requests of a gateway, the state of its backends, and refused requests. */

interface Panel {
  readonly title: string;
  readonly unit: 'reqps' | 's' | 'short' | 'bytes' | 'percentunit';
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

const ON = '{namespace=~"$namespace",server=~"$server"}';
const and = (more: string) => ON.replace('}', `,${more}}`);
const quantile = (q: number, metric: string, by: string) =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${metric}_bucket${ON}[$__rate_interval])))`;

export const PANELS: readonly Panel[] = [
  {
    title: 'Requests by method',
    unit: 'reqps',
    queries: [
      [`sum by (mcp_method_name) (rate(lintel_mcp_requests_total${ON}[$__rate_interval]))`, '{{mcp_method_name}}'],
    ],
  },
  {
    title: 'Share of errors by type',
    unit: 'percentunit',
    queries: [
      [
        `sum by (error_type) (rate(lintel_mcp_requests_total${and('status="error"')}[$__rate_interval])) / ignoring(error_type) group_left sum(rate(lintel_mcp_requests_total${ON}[$__rate_interval]))`,
        '{{error_type}}',
      ],
    ],
  },
  {
    title: 'Duration of requests',
    unit: 's',
    queries: [
      [quantile(0.5, 'mcp_server_operation_duration_seconds', 'mcp_method_name'), 'p50 {{mcp_method_name}}'],
      [quantile(0.95, 'mcp_server_operation_duration_seconds', 'mcp_method_name'), 'p95 {{mcp_method_name}}'],
    ],
  },
  {
    title: 'Calls of the ten busiest tools',
    unit: 'reqps',
    queries: [[`topk(10, sum by (tool) (rate(lintel_mcp_tool_calls_total${ON}[$__rate_interval])))`, '{{tool}}']],
  },
  {
    title: 'Status of backends',
    unit: 'short',
    queries: [
      [
        `max by (target_workload_name, status) (lintel_gateway_backend_status${ON} == 1)`,
        '{{target_workload_name}} {{status}}',
      ],
    ],
  },
  {
    title: 'Errors of backends',
    unit: 'reqps',
    queries: [
      [
        `sum by (target_workload_name, error_type) (rate(lintel_vmcp_backend_errors_total${ON}[$__rate_interval]))`,
        '{{target_workload_name}} {{error_type}}',
      ],
    ],
  },
  {
    title: 'Duration at backends',
    unit: 's',
    queries: [
      [quantile(0.95, 'mcp_client_operation_duration_seconds', 'target_workload_name'), 'p95 {{target_workload_name}}'],
    ],
  },
  {
    title: 'Sessions and subscriptions',
    unit: 'short',
    queries: [
      [`sum by (connection_type, transport) (lintel_mcp_active_connections${ON})`, '{{connection_type}} {{transport}}'],
    ],
  },
  {
    title: 'Refused, denied, limited',
    unit: 'reqps',
    queries: [
      [
        `sum by (http_response_status_code) (rate(lintel_gateway_http_refusals_total${ON}[$__rate_interval]))`,
        'HTTP {{http_response_status_code}}',
      ],
      [
        `sum by (action) (rate(lintel_gateway_authorization_denials_total${ON}[$__rate_interval]))`,
        'denied {{action}}',
      ],
      [
        `sum by (scope, operation_type) (rate(lintel_rate_limit_decisions_total${and('decision="rejected"')}[$__rate_interval]))`,
        'limited {{scope}} {{operation_type}}',
      ],
    ],
  },
  {
    title: 'What waits on event streams',
    unit: 'bytes',
    queries: [
      [`sum(lintel_gateway_stream_unread_bytes${ON})`, 'unread'],
      [`sum(lintel_gateway_stream_kept_bytes${ON})`, 'kept'],
    ],
  },
  {
    title: 'Bundles',
    unit: 'short',
    queries: [
      [`sum by (result) (increase(lintel_gateway_bundle_swaps_total${ON}[$__rate_interval]))`, '{{result}}'],
      [`max(lintel_gateway_bundle_refused${ON})`, 'the newest is refused'],
    ],
  },
  {
    title: 'Session store, identity providers, embedding service',
    unit: 'short',
    queries: [
      [`min(lintel_gateway_session_store_ready${ON})`, 'session store'],
      [`min by (provider) (lintel_gateway_identity_provider_available${ON})`, '{{provider}}'],
      [`min(lintel_gateway_optimizer_embeddings_ready${ON})`, 'embedding service'],
    ],
  },
  {
    title: 'Sign-ins by upstream',
    unit: 'short',
    queries: [
      [
        `sum by (upstream, outcome) (increase(lintel_auth_server_sign_ins_total${ON}[$__rate_interval]))`,
        '{{upstream}} {{outcome}}',
      ],
      [
        `sum by (upstream, outcome) (increase(lintel_auth_server_upstream_refreshes_total${ON}[$__rate_interval]))`,
        'refresh {{upstream}} {{outcome}}',
      ],
    ],
  },
  {
    title: 'Tokens and registrations',
    unit: 'short',
    queries: [
      [
        `sum by (grant_type, outcome) (increase(lintel_auth_server_token_requests_total${ON}[$__rate_interval]))`,
        '{{grant_type}} {{outcome}}',
      ],
      [
        `sum by (outcome) (increase(lintel_auth_server_registrations_total${ON}[$__rate_interval]))`,
        'client {{outcome}}',
      ],
    ],
  },
  {
    title: 'Storage of the authorization server',
    unit: 's',
    queries: [
      [quantile(0.95, 'lintel_auth_server_storage_operation_duration_seconds', 'operation'), 'p95 {{operation}}'],
    ],
  },
  {
    title: 'Audit records',
    unit: 'short',
    queries: [
      [`sum(increase(lintel_audit_written_records_total${ON}[$__rate_interval]))`, 'written'],
      [`sum(increase(lintel_audit_dropped_records_total${ON}[$__rate_interval]))`, 'lost'],
      [`sum(increase(lintel_audit_write_errors_total${ON}[$__rate_interval]))`, 'failures to write'],
    ],
  },
  {
    title: 'Telemetry that is lost',
    unit: 'short',
    queries: [
      [
        `sum by (signal) (increase(lintel_telemetry_failed_items_total${ON}[$__rate_interval]))`,
        'not taken: {{signal}}',
      ],
      [
        `sum by (signal) (increase(lintel_telemetry_dropped_items_total${ON}[$__rate_interval]))`,
        'no room: {{signal}}',
      ],
    ],
  },
];

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

export function dashboardFile(): string {
  const panels = PANELS.map(({ title, unit, queries }, index) => ({
    id: index + 1,
    type: 'timeseries',
    title,
    datasource: DATASOURCE,
    gridPos: { x: (index % 2) * 12, y: Math.floor(index / 2) * 8, w: 12, h: 8 },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: queries.map(([expr, legendFormat], at) => ({ refId: String.fromCharCode(65 + at), expr, legendFormat })),
  }));
  const variable = (name: string, query: string) => ({
    name,
    type: 'query',
    datasource: DATASOURCE,
    query,
    includeAll: true,
    multi: true,
    refresh: 2,
  });
  const dashboard = {
    uid: 'lintel-gateway',
    title: 'Lintel gateways',
    tags: ['lintel', 'mcp'],
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        variable('namespace', 'label_values(lintel_gateway_bundle_info, namespace)'),
        variable('server', 'label_values(lintel_gateway_bundle_info{namespace=~"$namespace"}, server)'),
      ],
    },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
