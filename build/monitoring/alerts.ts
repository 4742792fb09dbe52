/** Alerts on gateways and registry servers. Each has a page of its name in `docs/runbooks/`. */

export interface Alert {
  /** The name of the alert in PascalCase. */
  readonly name: string;
  readonly expr: string;
  /** How long the condition must hold, as a Prometheus duration. */
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
}

const BY_BACKEND = 'namespace, server, target_workload_name';

export const ALERTS: readonly Alert[] = [
  {
    name: 'LintelGatewayNotReady',
    expr: 'lintel_gateway_ready == 0',
    for: '5m',
    severity: 'critical',
    summary: 'Gateway {{ $labels.namespace }}/{{ $labels.server }} accepts no clients.',
  },
  {
    name: 'LintelGatewayUnhealthy',
    expr: 'lintel_gateway_healthy == 0',
    for: '2m',
    severity: 'critical',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} cannot answer requests: too many backends are unavailable.',
  },
  {
    name: 'LintelBundleRefused',
    expr: 'lintel_gateway_bundle_refused == 1',
    for: '5m',
    severity: 'warning',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} has refused its newest bundle and serves an older one.',
  },
  {
    name: 'LintelStaleSecurity',
    expr: 'lintel_gateway_bundle_stale_security == 1',
    for: '1m',
    severity: 'critical',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} lets callers in, or lets them do things, by rules that were replaced.',
  },
  {
    name: 'LintelBackendUnavailable',
    expr: 'lintel_gateway_backend_status{status=~"unavailable|unauthenticated|unknown"} == 1',
    for: '5m',
    severity: 'warning',
    summary:
      'Backend {{ $labels.target_workload_name }} of gateway {{ $labels.namespace }}/{{ $labels.server }} is {{ $labels.status }}.',
  },
  {
    name: 'LintelBackendCircuitOpen',
    // An open circuit breaker is half open for a moment whenever it lets a call through. That must not end the alert.
    expr: 'max_over_time(lintel_gateway_backend_circuit_state{state="open"}[2m]) == 1',
    for: '5m',
    severity: 'warning',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} holds calls back from backend {{ $labels.target_workload_name }}: its circuit is open.',
  },
  {
    name: 'LintelBackendErrors',
    expr: `sum by (${BY_BACKEND}) (rate(lintel_vmcp_backend_errors_total[5m])) / sum by (${BY_BACKEND}) (rate(lintel_vmcp_backend_requests_total[5m])) > 0.1`,
    for: '10m',
    severity: 'warning',
    summary: 'More than a tenth of the requests to backend {{ $labels.target_workload_name }} fail.',
  },
  {
    name: 'LintelBackendSlow',
    expr: `histogram_quantile(0.95, sum by (${BY_BACKEND}, le) (rate(mcp_client_operation_duration_seconds_bucket[10m]))) > 10`,
    for: '10m',
    severity: 'warning',
    summary: 'One request in twenty to backend {{ $labels.target_workload_name }} takes more than 10 seconds.',
  },
  {
    name: 'LintelSessionStoreUnavailable',
    expr: 'lintel_gateway_session_store_ready == 0',
    for: '1m',
    severity: 'critical',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} cannot reach its session store: requests for new sessions get 503, and sessions cannot move to another replica.',
  },
  {
    name: 'LintelIdentityProviderUnavailable',
    expr: 'lintel_gateway_identity_provider_available == 0',
    for: '10m',
    severity: 'critical',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} cannot reach identity provider {{ $labels.provider }}: the gateway may refuse callers with valid tokens.',
  },
  {
    name: 'LintelEmbeddingsUnavailable',
    expr: 'lintel_gateway_optimizer_embeddings_ready == 0',
    for: '15m',
    severity: 'warning',
    summary:
      'The embedding service of gateway {{ $labels.namespace }}/{{ $labels.server }} does not answer: the gateway finds tools by keywords only.',
  },
  {
    name: 'LintelRateLimitFailOpen',
    expr: 'increase(lintel_rate_limit_fail_open_total[5m]) > 0',
    for: '0m',
    severity: 'warning',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} lets calls through without a limit: Redis does not answer.',
  },
  {
    name: 'LintelPolicyErrors',
    expr: 'increase(lintel_gateway_authorization_errors_total[10m]) > 0',
    for: '0m',
    severity: 'critical',
    summary:
      'Policies of gateway {{ $labels.namespace }}/{{ $labels.server }} fail, which denies what they were asked about.',
  },
  {
    name: 'LintelStreamsBroken',
    expr: 'increase(lintel_gateway_streams_broken_total[10m]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'Gateway {{ $labels.namespace }}/{{ $labels.server }} breaks event streams of clients that do not read.',
  },
  {
    name: 'LintelSignInsFail',
    expr: 'sum by (namespace, server, upstream) (increase(lintel_auth_server_sign_ins_total{outcome="failed"}[15m])) / sum by (namespace, server, upstream) (increase(lintel_auth_server_sign_ins_total[15m])) > 0.5',
    for: '5m',
    severity: 'critical',
    summary:
      'More than half of the sign-ins through upstream {{ $labels.upstream }} of gateway {{ $labels.namespace }}/{{ $labels.server }} fail.',
  },
  {
    name: 'LintelUpstreamRefreshesFail',
    expr: 'increase(lintel_auth_server_upstream_refreshes_total{outcome="unavailable"}[10m]) > 0',
    for: '10m',
    severity: 'warning',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} cannot renew tokens of upstream {{ $labels.upstream }}.',
  },
  {
    name: 'LintelAuthServerStorageErrors',
    expr: 'increase(lintel_auth_server_storage_errors_total[5m]) > 0',
    for: '2m',
    severity: 'critical',
    summary:
      'The authorization server of gateway {{ $labels.namespace }}/{{ $labels.server }} cannot use its storage: people cannot sign in, and clients cannot renew their tokens.',
  },
  {
    name: 'LintelEphemeralKeys',
    expr: 'lintel_auth_server_ephemeral_keys == 1',
    for: '15m',
    severity: 'warning',
    summary:
      'The authorization server of gateway {{ $labels.namespace }}/{{ $labels.server }} uses a {{ $labels.kind }} of its own: everybody signs in again after a restart.',
  },
  {
    name: 'LintelRegistryNotReady',
    expr: 'lintel_registry_ready == 0',
    for: '5m',
    severity: 'critical',
    summary: 'Registry server {{ $labels.instance }} accepts no clients.',
  },
  {
    name: 'LintelRegistryBundleRefused',
    expr: 'lintel_registry_bundle_refused == 1',
    for: '5m',
    severity: 'warning',
    summary: 'Registry server {{ $labels.instance }} has refused its newest bundle and serves an older one.',
  },
  {
    name: 'LintelRegistrySourceFails',
    expr: 'lintel_registry_source_consecutive_failures >= 3',
    for: '15m',
    severity: 'warning',
    summary:
      'Registry server {{ $labels.instance }} cannot read its source {{ $labels.source }}, and lists the entries that it read last.',
  },
  {
    name: 'LintelAuditLost',
    expr: 'increase(lintel_audit_dropped_records_total[10m]) > 0',
    for: '0m',
    severity: 'critical',
    summary: 'Server {{ $labels.namespace }}/{{ $labels.server }} loses audit records.',
  },
  {
    name: 'LintelAuditWriteErrors',
    expr: 'increase(lintel_audit_write_errors_total[5m]) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'Server {{ $labels.namespace }}/{{ $labels.server }} cannot write its audit records.',
  },
  {
    name: 'LintelTelemetryLost',
    expr: 'increase(lintel_telemetry_failed_items_total[15m]) + increase(lintel_telemetry_dropped_items_total[15m]) > 0',
    for: '15m',
    severity: 'warning',
    summary:
      'Gateway {{ $labels.namespace }}/{{ $labels.server }} loses {{ $labels.signal }}: the collector does not take them.',
  },
];

/** The path of the runbook of an alert. */
export function runbookPath({ name }: Pick<Alert, 'name'>): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  return `docs/runbooks/${words}.md`;
}

/** A file of rules for Prometheus. */
export function rulesFile(): string {
  const rules = ALERTS.map(alert =>
    [
      `      - alert: ${alert.name}`,
      `        expr: ${JSON.stringify(alert.expr)}`,
      `        for: ${alert.for}`,
      `        labels: { severity: ${alert.severity} }`,
      '        annotations:',
      `          summary: ${JSON.stringify(alert.summary)}`,
      `          runbook_url: ${runbookPath(alert)}`,
    ].join('\n'),
  );
  return `# Generated by npm run generate; do not edit.\ngroups:\n  - name: lintel-gateway\n    rules:\n${rules.join('\n')}\n`;
}
