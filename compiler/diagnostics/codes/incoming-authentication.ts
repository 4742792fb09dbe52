import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const INCOMING_AUTHENTICATION_CODES = {
  LNT4001: {
    name: 'anonymous-writes',
    severity: 'warning',
    needsLock: true,
    meaning:
      'Callers whom nobody knows reach tools that are not read-only, or not known to be, by name or through a workflow. Tools and their annotations are known by the tool lock.',
    since: '0.1.0',
    fix: 'Ask for a token with `type: oidc`, or offer only tools with readOnlyHint',
    bad: yaml`
      # the lock says that the tool comment of github has no readOnlyHint
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          aggregation:
            tools: [{ workload: github, filter: [search, get_issue] }]
    `,
  },
  LNT4002: {
    name: 'issuer-mismatch',
    severity: 'error',
    meaning:
      'The embedded authorization server issues tokens under another issuer than the one that callers must have.',
    since: '0.1.0',
    fix: 'Write the same issuer in both places',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://login.example.com
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://auth.example.com
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT4003: {
    name: 'audience-not-issued',
    severity: 'error',
    meaning:
      'The audience that callers need is not one that the embedded authorization server issues tokens for. A warning when the URL of the gateway is not given.',
    since: '0.1.0',
    fix: 'Use the URL of the gateway as the audience',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://auth.example.com
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://auth.example.com
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT4004: {
    name: 'insecure-auth-url',
    severity: 'error',
    meaning:
      'An issuer, its keys or its endpoints are reached over plain http. A warning where the specification leaves it open.',
    since: '0.1.0',
    fix: 'Use https',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: http://id.example.com }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://id.example.com }
    `,
  },
  LNT4005: {
    name: 'no-authorization',
    severity: 'hint',
    meaning: 'Callers sign in, and no policy says what they may do: each may call every tool.',
    since: '0.1.0',
    fix: 'Add authzConfig if not everybody may do everything',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: mcp }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
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
          authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"] } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT4006: {
    name: 'authorization-of-anonymous',
    severity: 'warning',
    meaning:
      'Policies tell callers apart, or cannot be read, for a gateway that does not ask who calls. What they say of tools alone is fine.',
    since: '0.1.0',
    fix: 'Use incomingAuth.type oidc, or have policies that look at tools only',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: anonymous
          authzConfig: { type: inline, inline: { policies: ['permit(principal in Group::"eng", action, resource);'] } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
  },
  LNT4007: {
    name: 'shared-audience',
    severity: 'warning',
    meaning:
      'Two servers accept the same audience of the same issuer, so a token for one can be replayed to the other.',
    since: '0.1.0',
    fix: 'Give each server its own audience',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: ops }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: ops }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp-ops } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT4014: {
    name: 'repeated-issuer',
    severity: 'error',
    meaning: 'A trusted issuer is listed twice, or is the authorization server itself.',
    since: '0.1.0',
    fix: 'Remove the entry',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://auth.example.com
          trustedIssuers:
            - issuerUrl: https://auth.example.com
              jwtBearerGrant: { maxAssertionAge: 5m, subjectBindings: [{ subject: ci, allowedResources: [https://mcp.example.com] }] }
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://auth.example.com
          trustedIssuers:
            - issuerUrl: https://ci.example.com
              jwtBearerGrant: { maxAssertionAge: 5m, subjectBindings: [{ subject: ci, allowedResources: [https://mcp.example.com] }] }
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT4016: {
    name: 'sessions-not-shared',
    severity: 'warning',
    meaning: 'Several replicas keep their sessions in memory, where the others cannot see them.',
    since: '0.1.0',
    fix: 'Use session storage in Redis, or one replica',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        replicas: 3
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        replicas: 3
        sessionStorage: { provider: redis, address: "redis:6379" }
    `,
  },
  LNT4019: {
    name: 'invalid-identity-path',
    severity: 'error',
    meaning: 'A path into the answer of a token endpoint cannot be read.',
    since: '0.1.0',
    fix: 'Write names and item numbers between dots, such as `authed_user.id`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: signin }
      spec:
        type: embeddedAuthServer
        embeddedAuthServer:
          issuer: https://auth.example.com
          signingKeySecretRefs: [{ name: keys, key: token.pem }]
          hmacSecretRefs: [{ name: keys, key: hmac }]
          upstreamProviders:
            - name: forge
              type: oauth2
              oauth2Config:
                authorizationEndpoint: https://forge.example.com/authorize
                tokenEndpoint: https://forge.example.com/token
                clientId: gw
                identityFromToken: { subjectPath: authed_user..id }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: signin }
      spec:
        type: embeddedAuthServer
        embeddedAuthServer:
          issuer: https://auth.example.com
          signingKeySecretRefs: [{ name: keys, key: token.pem }]
          hmacSecretRefs: [{ name: keys, key: hmac }]
          upstreamProviders:
            - name: forge
              type: oauth2
              oauth2Config:
                authorizationEndpoint: https://forge.example.com/authorize
                tokenEndpoint: https://forge.example.com/token
                clientId: gw
                identityFromToken: { subjectPath: authed_user.id }
    `,
  },
  LNT4026: {
    name: 'overruled-sign-in',
    severity: 'warning',
    meaning:
      'The block config.incomingAuth asks of callers what nobody checks: spec.incomingAuth is there too, takes precedence, and lets in others.',
    since: '0.1.0',
    fix: 'Move it to `spec.incomingAuth`, or leave one of the two blocks out',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          incomingAuth:
            type: oidc
            oidc: { issuer: https://auth.example.com, clientId: gw, audience: https://mcp.example.com }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        config:
          incomingAuth:
            type: oidc
            oidc: { issuer: https://auth.example.com, clientId: gw, audience: https://mcp.example.com }
    `,
  },
  LNT4030: {
    name: 'unverified-redis',
    severity: 'warning',
    meaning:
      'A Redis or its sentinels are reached over TLS without a check of their certificate, so another server can take their place and read or change sessions.',
    since: '0.1.0',
    fix: 'Leave `insecureSkipVerify` out, and name the certificate authority with `caCertSecretRef` where it is a private one',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        sessionStorage:
          provider: redis
          address: redis:6379
          passwordRef: { name: redis, key: password }
          tls: { insecureSkipVerify: true }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        sessionStorage:
          provider: redis
          address: redis:6379
          passwordRef: { name: redis, key: password }
          tls: { caCertSecretRef: { name: redis, key: ca.crt } }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
