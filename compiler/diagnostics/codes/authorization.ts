import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const AUTHORIZATION_CODES = {
  LNT5006: {
    name: 'no-policies',
    severity: 'error',
    meaning: 'A source of policies is named that holds none, or is not a policy document.',
    since: '0.1.0',
    fix: 'Write at least one policy',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp }
          authzConfig: { type: configMap, configMap: { name: policies } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: policies }
      data:
        authz.json: '{"version": "1.0", "type": "cedarv1", "cedar": {"policies": []}}'
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp }
          authzConfig: { type: configMap, configMap: { name: policies } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: policies }
      data:
        authz.json: '{"version": "1.0", "type": "cedarv1", "cedar": {"policies": ["permit(principal, action, resource);"]}}'
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
