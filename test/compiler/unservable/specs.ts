/** Minimal specs, each with one feature that no gateway could serve. */

const AROUND = `
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: g }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: jira }
spec: { groupRef: { name: g }, remoteUrl: https://jira.example.com/mcp, transport: streamable-http }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inline: { issuer: https://auth.example.com } }
`;

const SIGNED_IN =
  'incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com } }';

/** A gateway with these fields in its spec, and a group with one member. */
export function formatSpec(fields: readonly string[], ...others: readonly string[]): string {
  const spec = ['groupRef: { name: g }', ...fields].map(field => `  ${field}`).join('\n');
  return [
    AROUND,
    `apiVersion: lintel.dev/v1beta1\nkind: VirtualMCPServer\nmetadata: { name: eng }\nspec:\n${spec}\n`,
    ...others,
  ].join('---\n');
}

export function anonymous(config: string): string {
  return formatSpec(['incomingAuth: { type: anonymous }', `config: ${config}`]);
}

export function aggregated(aggregation: string): string {
  return anonymous(`{ aggregation: ${aggregation} }`);
}

export function renamed(name: string, more = ''): string {
  return aggregated(`{ ${more} tools: [{ workload: jira, overrides: { a: { name: ${JSON.stringify(name)} } } }] }`);
}

export function prefixed(format: string): string {
  return aggregated(`{ conflictResolutionConfig: { prefixFormat: ${JSON.stringify(format)} } }`);
}

export function written(...backends: readonly string[]): string {
  return formatSpec([
    'incomingAuth: { type: anonymous }',
    'outgoingAuth: { source: inline }',
    `config: { backends: [${backends.join(', ')}] }`,
  ]);
}

/** A backend with a name and these fields. */
export function backend(name: string, fields = ''): string {
  return `{ name: ${JSON.stringify(name)}, url: https://a.example.com/mcp, transport: streamable-http, ${fields} }`;
}

export function signIn(oidc: string): string {
  return formatSpec([`config: { incomingAuth: { type: oidc, oidc: ${oidc} } }`]);
}

export function strategy(text: string): string {
  return formatSpec([SIGNED_IN, `config: { outgoingAuth: { source: inline, default: ${text} } }`]);
}

/** A gateway whose strategy for all backends is in an MCPExternalAuthConfig with this spec. */
export function referred(spec: string): string {
  return formatSpec(
    [
      SIGNED_IN,
      'outgoingAuth: { source: inline, default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: x } } }',
    ],
    `apiVersion: lintel.dev/v1beta1\nkind: MCPExternalAuthConfig\nmetadata: { name: x }\nspec: ${spec}\n`,
  );
}

export function authServer(fields: string, ...others: readonly string[]): string {
  return withUpstream('gw', fields, ...others);
}

/** An authorization server with one upstream, where it is registered as this client. */
export function withUpstream(client: string, fields: string, ...others: readonly string[]): string {
  const upstream = `{ name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: "${client}" } }`;
  const server = `authServerConfig: { issuer: https://auth.example.com, upstreamProviders: [${upstream}], ${fields} }`;
  return formatSpec([SIGNED_IN, server], ...others);
}

export function redis(fields: string): string {
  return authServer(
    `storage: { type: redis, redis: { aclUserConfig: { passwordSecretRef: { name: s, key: k } }, ${fields} } }`,
  );
}

export function secret(value: string): string {
  return `apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData: { k: ${value} }\n`;
}

export function telemetry(fields: string): string {
  return anonymous(`{ telemetry: { tracingEnabled: true, ${fields} } }`);
}

/** A gateway whose telemetry settings are in an MCPTelemetryConfig with these fields. */
export function telemetryConfig(fields: string): string {
  return formatSpec(
    ['incomingAuth: { type: anonymous }', 'telemetryConfigRef: { name: t }'],
    `apiVersion: lintel.dev/v1beta1\nkind: MCPTelemetryConfig\nmetadata: { name: t }\nspec: { openTelemetry: { enabled: true, tracing: { enabled: true }, ${fields} } }\n`,
  );
}

export function healthChecks(fields: string): string {
  return anonymous(`{ operational: { failureHandling: { partialFailureMode: fail, ${fields} } } }`);
}
