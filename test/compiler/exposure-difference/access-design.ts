/** A gateway with one backend, for tests of what callers gain by a change of it. */
import type { Exposure } from '#compiler';
import type { Offers } from '../../support/gateway-rule.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE } from '../../support/tls-fixture.ts';
import { exposures } from '../exposure/sample.ts';

const API = 'apiVersion: lintel.dev/v1beta1';
const CA = (name: string, body: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, labels: { lintel.dev/watch: "true" } }
data: { ca.crt: ${JSON.stringify(body)} }
---
`;

export interface Design {
  readonly policies?: readonly string[];
  readonly entities?: readonly object[];
  /** Members of `incomingAuth.authzConfig`, of the OIDC provider, of the backend and of the gateway's configuration. */
  readonly authz?: object;
  readonly oidc?: object;
  readonly entry?: object;
  readonly config?: object;
  /** One replica can count calls without a Redis. */
  readonly replicas?: number;
  readonly resourceUrl?: string;
}

export const POLICIES = [
  'permit(principal in Group::"admins", action, resource);',
  'permit(principal in Group::"staff", action == Action::"call_tool", resource == Tool::"docs_read");',
  'permit(principal in Group::"staff", action == Action::"read_resource", resource) when { resource.uri like "docs://open/*" };',
  'forbid(principal in Group::"interns", action, resource);',
];

function specs({
  policies = POLICIES,
  entities,
  authz = {},
  oidc = {},
  entry = {},
  config = {},
  replicas,
  resourceUrl,
}: Design): string {
  const inline = { policies, ...(entities === undefined ? {} : { entitiesJson: JSON.stringify(entities) }) };
  const spec = (kind: string, name: string, body: object) =>
    `${API}\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${JSON.stringify(body)}\n`;
  return [
    `${CA('one', TEST_AUTHORITY)}${CA('two', TEST_CERTIFICATE)}${API}\nkind: MCPGroup\nmetadata: { name: all }\n`,
    spec('MCPOIDCConfig', 'corp', { type: 'inline', inline: { issuer: 'https://login.example.com', ...oidc } }),
    spec('MCPServerEntry', 'docs', {
      groupRef: { name: 'all' },
      remoteUrl: 'https://docs.example.com/mcp',
      transport: 'streamable-http',
      ...entry,
    }),
    spec('VirtualMCPServer', 'gw', {
      groupRef: { name: 'all' },
      incomingAuth: {
        type: 'oidc',
        oidcConfigRef: { name: 'corp', audience: 'https://mcp.example.com', ...(resourceUrl && { resourceUrl }) },
        ...(policies.length === 0 ? {} : { authzConfig: { type: 'inline', inline, ...authz } }),
      },
      config,
      ...(replicas === undefined ? {} : { replicas }),
    }),
  ].join('---\n');
}

export const OFFER: Offers = {
  'default/MCPServerEntry/docs': {
    tools: ['read', 'write', 'drop'],
    prompts: [{ name: 'guide' }],
    resources: [{ uri: 'docs://handbook', name: 'handbook' }],
    resourceTemplates: [{ uriTemplate: 'docs://{space}/{page}', name: 'page' }],
  },
};

export function exposureOf(design: Design, offers: Offers | undefined): Exposure {
  const [exposure] = exposures(specs(design), offers);
  if (exposure === undefined) throw new Error(`the specs have errors: ${specs(design)}`);
  return exposure;
}

export const more = (...policies: readonly string[]): Design => ({ policies: [...POLICIES, ...policies] });

/** What each kind of change is called in the opposite direction. */
export const OPPOSITE = {
  wider: 'narrower',
  narrower: 'wider',
  mixed: 'mixed',
  equivalent: 'equivalent',
  unclassified: 'unclassified',
} as const;
