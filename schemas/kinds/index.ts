/** Every kind of the API group. */
import type { KindDefinition } from './define.ts';
import { embeddingServer } from './embedding-server.ts';
import { gatewaySource } from './gateway-source/index.ts';
import { mcpAuthzConfig } from './mcp-authz-config.ts';
import { mcpExternalAuthConfig } from './mcp-external-auth-config/index.ts';
import { mcpGroup } from './mcp-group.ts';
import { mcpOidcConfig } from './mcp-oidc-config.ts';
import { mcpRegistry } from './mcp-registry.ts';
import { mcpRemoteProxy } from './mcp-remote-proxy.ts';
import { mcpServer } from './mcp-server.ts';
import { mcpServerEntry } from './mcp-server-entry.ts';
import { mcpTelemetryConfig } from './mcp-telemetry-config.ts';
import { mcpToolConfig } from './mcp-tool-config.ts';
import { virtualMcpCompositeToolDefinition } from './virtual-mcp-composite-tool-definition.ts';
import { virtualMcpServer } from './virtual-mcp-server/index.ts';

/** The definitions of all kinds, in alphabetical order. */
export const KINDS: readonly KindDefinition[] = [
  embeddingServer,
  gatewaySource,
  mcpAuthzConfig,
  mcpExternalAuthConfig,
  mcpGroup,
  mcpOidcConfig,
  mcpRegistry,
  mcpRemoteProxy,
  mcpServer,
  mcpServerEntry,
  mcpTelemetryConfig,
  mcpToolConfig,
  virtualMcpCompositeToolDefinition,
  virtualMcpServer,
];
