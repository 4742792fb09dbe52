import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

/** Of the area of incoming authentication: a gateway that issues tokens itself. */
export const AUTHORIZATION_SERVER_CODES = {
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
} as const satisfies Readonly<Record<string, CodeEntry>>;
