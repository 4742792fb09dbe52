/** Names that stand in people's manifests, dashboards and firewalls. */
import { expect, test } from 'vitest';
import {
  ACCEPTED_API_GROUPS,
  API_GROUP,
  CLUSTER_SERVICE_DOMAIN,
  DEPRECATED_VERSION,
  ENTRY_VENDOR,
  ENV_PREFIX,
  EXPORT_NAMESPACES,
  GATEWAY_PORT,
  INTERNAL_PORT,
  KINDS_FILE,
  LABEL_DOMAIN,
  MCP_PATH,
  MESSAGES_PATH,
  METRIC_PREFIX,
  MOUNT_ROOT,
  REGISTRY_PORT,
  SSE_PATH,
  STORAGE_VERSION,
} from '#schemas';

test.each<[name: string, value: unknown, pinned: unknown]>([
  ['API group', API_GROUP, 'lintel.dev'],
  ['accepted API groups', ACCEPTED_API_GROUPS, ['lintel.dev', 'toolhive.stacklok.dev']],
  ['storage version', STORAGE_VERSION, 'v1beta1'],
  ['deprecated version', DEPRECATED_VERSION, 'v1alpha1'],
  ['label domain', LABEL_DOMAIN, 'lintel.dev'],
  [
    'namespaces of exported servers',
    EXPORT_NAMESPACES,
    { 'lintel.dev': 'dev.lintel.k8s', 'toolhive.stacklok.dev': 'com.toolhive.k8s' },
  ],
  ['vendor of entries', ENTRY_VENDOR, 'dev.lintel'],
  ['environment prefix', ENV_PREFIX, 'LINTEL_'],
  ['mount root', MOUNT_ROOT, '/etc/lintel'],
  ['metric prefix', METRIC_PREFIX, 'lintel_'],
  ['gateway port', GATEWAY_PORT, 4483],
  ['registry port', REGISTRY_PORT, 8080],
  ['internal port', INTERNAL_PORT, 8081],
  ['MCP path', MCP_PATH, '/mcp'],
  ['HTTP+SSE stream path', SSE_PATH, '/sse'],
  ['HTTP+SSE message path', MESSAGES_PATH, '/messages'],
  ['cluster domain', CLUSTER_SERVICE_DOMAIN, 'svc.cluster.local'],
  [
    'kinds and their plurals',
    Object.values(KINDS_FILE)
      .map(({ kind, plural }) => `${kind} ${plural}`)
      .sort(),
    [
      'EmbeddingServer embeddingservers',
      'MCPAuthzConfig mcpauthzconfigs',
      'MCPExternalAuthConfig mcpexternalauthconfigs',
      'MCPGroup mcpgroups',
      'MCPOIDCConfig mcpoidcconfigs',
      'MCPRegistry mcpregistries',
      'MCPRemoteProxy mcpremoteproxies',
      'MCPServer mcpservers',
      'MCPServerEntry mcpserverentries',
      'MCPTelemetryConfig mcptelemetryconfigs',
      'MCPToolConfig mcptoolconfigs',
      'VirtualMCPCompositeToolDefinition virtualmcpcompositetooldefinitions',
      'VirtualMCPServer virtualmcpservers',
    ],
  ],
])('%s', (_, value, pinned) => {
  expect(value).toEqual(pinned);
});
