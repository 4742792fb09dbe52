import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const OUTGOING_CONNECTION_CODES = {
  LNT6001: {
    name: 'literal-secret',
    severity: 'warning',
    meaning:
      'A secret is written out, so everyone who can read the source or the object can use it. An error where it would have to be in a bundle, which never holds one.',
    since: '0.1.0',
    fix: 'Refer to an environment variable or a Secret, and replace the secret',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            default:
              type: header_injection
              headerInjection:
                headerName: X-Key
                headerValue: not-so-secret-any-more
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            default:
              type: header_injection
              headerInjection:
                headerName: X-Key
                headerValueEnv: GITHUB_KEY
    `,
  },
  LNT6002: {
    name: 'restricted-header',
    severity: 'error',
    meaning:
      'A header is forwarded, or used for a credential, that steers the connection or the protocol, or carries the credentials of the caller. A warning where it only does not do what one may expect.',
    since: '0.1.0',
    fix: 'Remove it',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        passthroughHeaders: [Authorization]
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        passthroughHeaders: [X-Tenant]
    `,
  },
  LNT6003: {
    name: 'backend-without-strategy',
    severity: 'warning',
    meaning: 'Outgoing authentication names some backends, and of another one nothing is said.',
    since: '0.1.0',
    fix: 'Name the backend, or set a default',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            backends:
              jira: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: JIRA_KEY } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            backends:
              jira: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: JIRA_KEY } }
              github: { type: unauthenticated }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
  },
  LNT6004: {
    name: 'backend-without-credentials',
    severity: 'hint',
    meaning: 'Callers sign in to the gateway, and a backend is open to whoever reaches it.',
    since: '0.1.0',
    fix: 'Give the backend an outgoing authentication, or let only the gateway reach it',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: https://mcp.example.com } }
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
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: https://mcp.example.com } }
        config:
          outgoingAuth:
            source: inline
            default: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: KEY } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT6005: {
    name: 'exchange-for-itself',
    severity: 'warning',
    meaning: 'A token is exchanged for one that the gateway itself accepts.',
    since: '0.1.0',
    fix: 'Use the audience of the backend',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }
        config:
          outgoingAuth:
            source: inline
            default:
              type: token_exchange
              tokenExchange: { tokenUrl: https://id.example.com/token, audience: mcp }
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
        config:
          outgoingAuth:
            source: inline
            default:
              type: token_exchange
              tokenExchange: { tokenUrl: https://id.example.com/token, audience: github }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT6006: {
    name: 'unknown-upstream',
    severity: 'error',
    meaning: 'Outgoing authentication uses the token of an upstream that the gateway does not have.',
    since: '0.1.0',
    fix: 'Name an upstream of authServerConfig',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        config:
          outgoingAuth:
            source: inline
            default: { type: upstream_inject, upstreamInject: { providerName: google } }
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
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        config:
          outgoingAuth:
            source: inline
            default: { type: upstream_inject, upstreamInject: { providerName: okta } }
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
  LNT6010: {
    name: 'blocked-address',
    severity: 'error',
    meaning: 'A URL points at an address that connections may not go to, such as a metadata service.',
    since: '0.1.0',
    fix: 'Point it at a permitted address',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: http://169.254.169.254/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
  },
  LNT6011: {
    name: 'invalid-url',
    severity: 'error',
    meaning: 'A URL cannot be parsed, or has a scheme or parts that are not permitted.',
    since: '0.1.0',
    fix: 'Write an absolute http or https URL, such as `https://mcp.example.com/mcp`',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://me:password@jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
  },
  LNT6012: {
    name: 'partial-failure-default',
    severity: 'hint',
    meaning: 'The failureHandling block is written without partialFailureMode, whose default there is fail.',
    since: '0.1.0',
    fix: 'Write partialFailureMode: best_effort to serve what is there, or fail to say that it is meant',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          operational:
            failureHandling: { healthCheckInterval: 10s, healthCheckTimeout: 5s }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          operational:
            failureHandling: { healthCheckInterval: 10s, healthCheckTimeout: 5s, partialFailureMode: best_effort }
    `,
  },
  LNT6013: {
    name: 'invalid-header',
    severity: 'error',
    meaning: 'The name of a header is not one, or its value contains a line break.',
    since: '0.1.0',
    fix: 'Write a header name of letters, digits and hyphens, and a value in one line, such as `X-Team: eng`',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        passthroughHeaders: [X Tenant]
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        passthroughHeaders: [X-Tenant]
    `,
  },
  LNT6014: {
    name: 'ambiguous-upstream',
    severity: 'error',
    meaning: 'Outgoing authentication needs the token of an upstream, and there are several.',
    since: '0.1.0',
    fix: 'Name the upstream in subjectProviderName',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        config:
          outgoingAuth:
            source: inline
            default:
              type: xaa
              xaa:
                idpTokenUrl: https://okta.example.com/token
                targetTokenUrl: https://api.example.com/token
                targetAudience: https://api.example.com
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
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
        config:
          outgoingAuth:
            source: inline
            default:
              type: xaa
              xaa:
                idpTokenUrl: https://okta.example.com/token
                targetTokenUrl: https://api.example.com/token
                targetAudience: https://api.example.com
                subjectProviderName: okta
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
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
  },
  LNT6015: {
    name: 'header-collision',
    severity: 'error',
    meaning:
      'A header has two values: of those that callers send, that are set for a backend, and that carry its credential.',
    since: '0.1.0',
    fix: 'Take it out of one of the two places',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        passthroughHeaders: [X-Tenant]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
        headerForward:
          addPlaintextHeaders: { X-Tenant: eng }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        passthroughHeaders: [X-Tenant]
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
        headerForward:
          addPlaintextHeaders: { X-Team: eng }
    `,
  },
  LNT6016: {
    name: 'token-not-sent',
    severity: 'warning',
    meaning: 'A backend validates the tokens of its callers, and the gateway sends it none.',
    since: '0.1.0',
    fix: 'Choose an outgoing authentication that sends a token, such as tokenExchange',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: jira }
      spec:
        image: registry.example.com/jira:1
        groupRef: { name: tools }
        oidcConfigRef: { name: corp, audience: jira }
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
        config:
          outgoingAuth:
            source: inline
            default: { type: token_exchange, tokenExchange: { tokenUrl: https://id.example.com/token, audience: jira } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: jira }
      spec:
        image: registry.example.com/jira:1
        groupRef: { name: tools }
        oidcConfigRef: { name: corp, audience: jira }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT6017: {
    name: 'audience-of-two-backends',
    severity: 'warning',
    meaning: 'Tokens for several backends have the same audience, so a backend can use at the others what it is sent.',
    since: '0.1.0',
    fix: 'Give each backend an audience of its own',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }
        config:
          outgoingAuth:
            source: inline
            backends:
              jira: { type: token_exchange, tokenExchange: { tokenUrl: https://id.example.com/token, audience: tools } }
              github: { type: token_exchange, tokenExchange: { tokenUrl: https://id.example.com/token, audience: tools } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
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
        config:
          outgoingAuth:
            source: inline
            backends:
              jira: { type: token_exchange, tokenExchange: { tokenUrl: https://id.example.com/token, audience: jira } }
              github: { type: token_exchange, tokenExchange: { tokenUrl: https://id.example.com/token, audience: github } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT6018: {
    name: 'shared-secret',
    severity: 'warning',
    meaning:
      'One secret is shown to several hosts, by one gateway or by several of a namespace, so each of them can use it at the others. A hint for a variable that several gateways name, which may be another secret in each pod.',
    since: '0.1.0',
    fix: 'Use a secret for each host',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            backends:
              jira: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: KEY } }
              github: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: KEY } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            backends:
              jira: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: JIRA_KEY } }
              github: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: GITHUB_KEY } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
  },
  LNT6019: {
    name: 'no-token-to-trade',
    severity: 'error',
    meaning:
      'The credential for a backend is made from the token of the caller (token_exchange, aws_sts, obo), and callers come without one: every call would fail.',
    since: '0.1.0',
    fix: 'Ask callers for tokens with `incomingAuth.type: oidc`, or give the backend a credential of the gateway itself, such as header_injection',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        config:
          outgoingAuth:
            source: inline
            backends:
              github: { type: unauthenticated }
              jira: { type: token_exchange, tokenExchange: { tokenUrl: https://id.example.com/token, audience: jira } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }
        config:
          outgoingAuth:
            source: inline
            backends:
              github: { type: unauthenticated }
              jira: { type: token_exchange, tokenExchange: { tokenUrl: https://id.example.com/token, audience: jira } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline: { issuer: https://auth.example.com }
    `,
  },
  LNT6020: {
    name: 'loopback-in-pod',
    severity: 'warning',
    needsPods: true,
    meaning:
      'A gateway that will run in a pod has a backend at a loopback address, which is the pod itself: a server on the machine of a developer is not there.',
    since: '0.1.0',
    fix: 'Name the host of the backend, such as its Service, or run it as another container of the pod with `podTemplateSpec`',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        outgoingAuth: { source: inline }
        config:
          backends:
            - { name: notes, url: http://127.0.0.1:4501/mcp, transport: streamable-http }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        outgoingAuth: { source: inline }
        config:
          backends:
            - { name: notes, url: http://notes.tools.svc.cluster.local:4501/mcp, transport: streamable-http }
    `,
  },
  LNT6021: {
    name: 'program-in-pod',
    severity: 'error',
    needsPods: true,
    meaning:
      'A gateway that will run in a pod has a backend that is a command of a machine. `lintel dev` and `lintel serve` start it; in a cluster nothing does.',
    since: '0.1.0',
    fix: 'Give the server an `image` or a URL (MCPServerEntry), or keep it out of what is deployed',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: files }
      spec:
        groupRef: { name: tools }
        command: mcp-server-filesystem
        args: [/srv]
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: files }
      spec:
        groupRef: { name: tools }
        transport: streamable-http
        image: registry.example.com/files:1.2.0
    `,
  },
  LNT6022: {
    name: 'setting-of-a-proxy',
    severity: 'error',
    meaning:
      'An MCPServer with a `command` asks for what a proxy in a cluster does: authentication, policies, tool filters, limits, records. A command runs on this machine, behind a bridge that does none of it. Or it is of an API group whose servers are images.',
    since: '0.1.0',
    fix: 'Say it in the VirtualMCPServer in front, or in `outgoingAuth` and `aggregation.tools` there',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: files }
      spec:
        groupRef: { name: tools }
        command: mcp-server-filesystem
        audit: { enabled: true }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServer
      metadata: { name: files }
      spec:
        groupRef: { name: tools }
        command: mcp-server-filesystem
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
