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
  LNT4010: {
    name: 'auth-server-without-oidc',
    severity: 'error',
    meaning: 'A gateway with an embedded authorization server does not ask for its tokens.',
    since: '0.1.0',
    fix: 'Use incomingAuth.type oidc with the same issuer, or remove authServerConfig',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        authServerConfig:
          issuer: https://auth.example.com
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
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
  LNT4011: {
    name: 'unknown-primary-upstream',
    severity: 'error',
    meaning: 'The primaryUpstreamProvider is not an upstream of the authorization server.',
    since: '0.1.0',
    fix: 'Name one of the upstreams',
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
          primaryUpstreamProvider: google
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
          primaryUpstreamProvider: okta
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
  LNT4012: {
    name: 'primary-upstream-by-default',
    severity: 'hint',
    meaning: 'Policies read the claims of the first of several upstreams, because none is named.',
    since: '0.1.0',
    fix: 'Name the upstream',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
          authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"] } }
        authServerConfig:
          issuer: https://auth.example.com
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
            - { name: corp, type: oidc, oidcConfig: { issuerUrl: https://id.example.com, clientId: gw } }
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
          authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"] } }
        authServerConfig:
          issuer: https://auth.example.com
          primaryUpstreamProvider: okta
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
            - { name: corp, type: oidc, oidcConfig: { issuerUrl: https://id.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT4013: {
    name: 'reserved-parameter',
    severity: 'error',
    meaning: 'An additional authorization parameter has a name that the protocol itself uses.',
    since: '0.1.0',
    fix: 'Remove it; the field for scopes is `scopes`',
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
          upstreamProviders:
            - name: okta
              type: oidc
              oidcConfig:
                issuerUrl: https://okta.example.com
                clientId: gw
                additionalAuthorizationParams: { scope: openid }
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
            - name: okta
              type: oidc
              oidcConfig:
                issuerUrl: https://okta.example.com
                clientId: gw
                scopes: [openid]
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
  LNT4015: {
    name: 'unsupported-scope',
    severity: 'error',
    meaning: 'Every client would get a scope that no upstream is asked for.',
    since: '0.1.0',
    fix: 'Add the scope to an upstream or remove it here',
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
          baselineClientScopes: [repo]
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
          baselineClientScopes: [openid]
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
  LNT4017: {
    name: 'short-hmac-secret',
    severity: 'error',
    meaning: 'A Secret in the sources is shorter than the authorization server takes it.',
    since: '0.1.0',
    fix: 'Write 32 random bytes or more',
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
          hmacSecretRefs: [{ name: hmac, key: current }]
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
      apiVersion: v1
      kind: Secret
      metadata: { name: hmac }
      stringData: { current: too-short }
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
          hmacSecretRefs: [{ name: hmac, key: current }]
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
      apiVersion: v1
      kind: Secret
      metadata: { name: hmac }
      stringData: { current: in-real-life-this-is-random-and-not-in-git }
    `,
  },
  LNT4018: {
    name: 'unusable-signing-key',
    severity: 'warning',
    meaning:
      'A key that is to sign tokens is no private key in PEM form, or of a kind that tokens are not signed with.',
    since: '0.1.0',
    fix: 'Make one with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`',
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
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
      ---
      apiVersion: v1
      kind: Secret
      metadata: { name: keys }
      stringData:
        hmac: 4sKTb0pQ1zW8nUe6yXaGcRj3vLdHfM9o
        token.pem: a passphrase is no key
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
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
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
  LNT4020: {
    name: 'unusable-confidential-redirect',
    severity: 'error',
    meaning: 'A client that always gets a secret is one that cannot keep it.',
    since: '0.1.0',
    fix: 'List redirect URIs of servers only',
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
          allowConfidentialClientRegistration: true
          forceConfidentialRedirectUris: [https://localhost/callback]
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
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
          allowConfidentialClientRegistration: true
          forceConfidentialRedirectUris: [https://app.example.com/callback]
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
    `,
  },
  LNT4021: {
    name: 'secrets-over-loopback-http',
    severity: 'error',
    meaning: 'Client secrets would be handed out by an issuer that is plain http.',
    since: '0.1.0',
    fix: 'Use https, or for development say that it is meant',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: signin }
      spec:
        type: embeddedAuthServer
        embeddedAuthServer:
          issuer: http://localhost:8080
          signingKeySecretRefs: [{ name: keys, key: token.pem }]
          hmacSecretRefs: [{ name: keys, key: hmac }]
          allowConfidentialClientRegistration: true
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: signin }
      spec:
        type: embeddedAuthServer
        embeddedAuthServer:
          issuer: http://localhost:8080
          signingKeySecretRefs: [{ name: keys, key: token.pem }]
          hmacSecretRefs: [{ name: keys, key: hmac }]
          allowConfidentialClientRegistration: true
          insecureAllowConfidentialOverLoopbackHTTP: true
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
    `,
  },
  LNT4022: {
    name: 'several-upstreams',
    severity: 'error',
    meaning: 'The authorization server in front of a single server has several upstreams.',
    since: '0.1.0',
    fix: 'Leave one, or put a VirtualMCPServer in front',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: files }
      spec:
        image: registry.example.com/files:1
        authServerRef: { name: signin }
        oidcConfigRef: { name: corp, audience: https://files.example.com, resourceUrl: https://files.example.com }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
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
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
            - { name: corp, type: oidc, oidcConfig: { issuerUrl: https://id.example.com, clientId: gw } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: files }
      spec:
        image: registry.example.com/files:1
        authServerRef: { name: signin }
        oidcConfigRef: { name: corp, audience: https://files.example.com, resourceUrl: https://files.example.com }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
      ---
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
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
    `,
  },
  LNT4023: {
    name: 'synthetic-identity',
    severity: 'hint',
    meaning: 'The upstream that decides who a caller is gives no identity, so one is made up from each token.',
    since: '0.1.0',
    fix: 'Set `userInfo` or `identityFromToken`',
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
                scopes: [read]
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
                userInfo: { endpointUrl: https://forge.example.com/user }
    `,
  },
  LNT4024: {
    name: 'throw-away-keys',
    severity: 'hint',
    meaning:
      'An authorization server has no keys of its own, so what it issued is void after a restart; with several replicas that is a warning.',
    since: '0.1.0',
    fix: 'Refer to Secrets with `signingKeySecretRefs` and `hmacSecretRefs`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: signin }
      spec:
        type: embeddedAuthServer
        embeddedAuthServer:
          issuer: https://auth.example.com
          upstreamProviders:
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
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
            - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }
    `,
  },
  LNT4025: {
    name: 'auth-server-not-shared',
    severity: 'warning',
    meaning: 'Several replicas each keep the state of the authorization server for themselves.',
    since: '0.1.0',
    fix: 'Use storage of type `redis`, or one replica',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        replicas: 2
        sessionStorage: { provider: redis, address: redis:6379 }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://auth.example.com
          signingKeySecretRefs: [{ name: keys, key: token.pem }]
          hmacSecretRefs: [{ name: keys, key: hmac }]
          storage: { type: memory }
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
        replicas: 2
        sessionStorage: { provider: redis, address: redis:6379 }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
        authServerConfig:
          issuer: https://auth.example.com
          signingKeySecretRefs: [{ name: keys, key: token.pem }]
          hmacSecretRefs: [{ name: keys, key: hmac }]
          storage: { type: redis, redis: { addr: redis:6379, aclUserConfig: { passwordSecretRef: { name: redis, key: password } } } }
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
