/** A gateway with many features, and the items of its backends. */

import { type Catalog, compile, type Exposure, readTexts, SourceText } from '#compiler';
import { createCatalog, type Offers } from '../../support/gateway-rule.ts';

export const SPECS = `
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: platform }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec:
  groupRef: { name: platform }
  remoteUrl: https://github.example.com/mcp
  transport: streamable-http
  externalAuthConfigRef: { name: github-exchange }
  headerForward:
    addPlaintextHeaders: { X-Tenant: platform }
    addHeadersFromSecret: [{ headerName: X-Api-Key, valueSecretRef: { name: github, key: api-key } }]
---
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: pg }
spec:
  groupRef: { name: platform }
  image: registry.example.com/pg:1
  transport: streamable-http
  secrets: [{ name: pg, key: url, targetEnvName: PG_URL }]
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: wiki }
spec: { groupRef: { name: platform }, remoteUrl: "https://wiki.example.com/sse", transport: sse }
---
apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: github-exchange }
spec:
  type: tokenExchange
  tokenExchange:
    tokenUrl: https://sts.example.com/token
    audience: https://github.example.com
    clientId: gateway
    clientSecretRef: { name: oauth, key: github }
    scopes: [repo, read:org]
---
apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: pg-key }
spec:
  type: headerInjection
  headerInjection: { headerName: X-Pg-Key, valueSecretRef: { name: pg, key: key } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inline: { issuer: https://auth.example.com } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: platform }
  incomingAuth:
    type: oidc
    oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
    authzConfig:
      type: inline
      inline:
        policies:
          - '@id("readers") permit(principal, action, resource) when { resource has readOnlyHint && resource.readOnlyHint };'
          - '@id("engineers") permit(principal in Group::"eng", action, resource);'
          - '@id("no-ddl") forbid(principal, action, resource == Tool::"pg_drop_table");'
          - '@id("contractors") permit(principal in Group::"contractors", action, resource == Tool::"cleanup_env");'
          - '@id("guides") permit(principal, action == Action::"get_prompt", resource);'
  outgoingAuth:
    source: discovered
    backends: { pg: { type: externalAuthConfigRef, externalAuthConfigRef: { name: pg-key } } }
  passthroughHeaders: [X-Request-Id]
  config:
    aggregation:
      tools:
        - workload: pg
          filter: [query, drop_table]
          overrides: { query: { annotations: { readOnlyHint: true } } }
        - workload: github
          overrides: { create_issue: { name: open_issue } }
    compositeTools:
      - name: cleanup_env
        description: Drops what a test left behind.
        steps:
          - { id: find, tool: github.search }
          - { id: purge, tool: pg_drop_table, dependsOn: [find] }
          - { id: vacuum, tool: pg.vacuum, dependsOn: [purge] }
`.trimStart();

/** A gateway with the same backends for anonymous callers, which hides some tools of one backend. */
export const ANONYMOUS = `apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: github-key }
spec:
  type: headerInjection
  headerInjection: { headerName: X-Github-Key, valueSecretRef: { name: github, key: key } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: open }
spec:
  groupRef: { name: platform }
  incomingAuth: { type: anonymous }
  outgoingAuth:
    source: discovered
    backends: { github: { type: externalAuthConfigRef, externalAuthConfigRef: { name: github-key } } }
  config:
    optimizer: {}
    aggregation: { tools: [{ workload: pg, excludeAll: true }] }
`;

const inputSchema = { type: 'object' };

export const OFFERS: Offers = {
  'default/MCPServerEntry/github': {
    tools: [
      { name: 'search', title: 'Search code', inputSchema, annotations: { readOnlyHint: true, openWorldHint: true } },
      { name: 'create_issue', inputSchema, annotations: { readOnlyHint: false, destructiveHint: false } },
      { name: 'delete_repo', inputSchema, annotations: { destructiveHint: true } },
    ],
    prompts: [{ name: 'review', title: 'Review a change' }],
    resources: [{ uri: 'file:///readme.md', name: 'readme', mimeType: 'text/markdown' }],
    resourceTemplates: [{ uriTemplate: 'repo://{owner}/{name}', name: 'repo' }],
  },
  'default/MCPServer/pg': {
    tools: ['query', { name: 'drop_table', inputSchema, annotations: { destructiveHint: true } }, 'vacuum'],
    prompts: [],
    resources: [{ uri: 'file:///readme.md', name: 'readme' }],
  },
  'default/MCPServerEntry/wiki': { tools: ['search', { name: 'edit', inputSchema }], prompts: [], resources: [] },
};

/** The exposures of all gateways in a text. */
export function exposures(text: string, offers: Offers | undefined): readonly Exposure[] {
  return compiled(text, offers && createCatalog(offers)).gateways.flatMap(({ exposure }) => exposure() ?? []);
}

export function compiled(text: string, catalog: Catalog | undefined) {
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  return compile(readTexts([new SourceText('specs/eng.yaml', text)]), { purpose: 'check', origin, catalog });
}
