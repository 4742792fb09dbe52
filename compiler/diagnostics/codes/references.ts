import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const REFERENCE_CODES = {
  LNT2001: {
    name: 'unresolved-reference',
    severity: 'error',
    meaning: 'A reference names an object that is not among the inputs.',
    since: '0.1.0',
    fix: 'Correct the name, or add the object to the inputs',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tool }
        incomingAuth: { type: anonymous }
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
  LNT2003: {
    name: 'unsupported-target',
    severity: 'error',
    meaning: 'A reference leads to an object of a type that the referrer cannot use.',
    since: '0.1.0',
    fix: 'Name an object of a type that it can use',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        outgoingAuth:
          default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: auth } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: auth }
      spec:
        type: bearerToken
        bearerToken: { tokenSecretRef: { name: keys, key: github } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
        outgoingAuth:
          default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: auth } }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPExternalAuthConfig
      metadata: { name: auth }
      spec:
        type: headerInjection
        headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: github } }
    `,
  },
  LNT2004: {
    name: 'unverifiable-reference',
    severity: 'hint',
    meaning: 'A reference names something outside of the inputs, such as a Secret, so it cannot be checked offline.',
    since: '0.1.0',
    fix: 'Make sure that it exists where the bundle runs',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
        caBundleRef: { configMapRef: { name: corporate-ca, key: ca.crt } }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
        caBundleRef: { configMapRef: { name: corporate-ca, key: ca.crt } }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: corporate-ca }
      data:
        ca.crt: |
          -----BEGIN CERTIFICATE-----
          MIIBczCCARqgAwIBAgICEAAwCgYIKoZIzj0EAwIwIDEeMBwGA1UEAwwVbGludGVs
          IHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAw
          WjAgMR4wHAYDVQQDDBVsaW50ZWwgdGVzdCBhdXRob3JpdHkwWTATBgcqhkjOPQIB
          BggqhkjOPQMBBwNCAASkSIOSjEXfTMl5L/ZuYYJoaz9MFXNdoW+/3jcBaPCYUWt6
          QpiVY5sp66BAA+sj3YJ1EwikG19HIQ/DYS1lPaa4o0IwQDAPBgNVHRMBAf8EBTAD
          AQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUTNB6OyN9zwQDPfmrnhHqNyzZ
          QugwCgYIKoZIzj0EAwIDRwAwRAIgQtGepkYuDkxB7jh9FP/N3Y5YK0JKklCZsesi
          TYROMCYCICZvbieplZiwJLyprYGuOqbNIxK1+9EAx3EzMnbxkLgh
          -----END CERTIFICATE-----
    `,
  },
  LNT2005: {
    name: 'missing-key',
    severity: 'error',
    meaning: 'A reference names a key that the Secret or ConfigMap among the inputs does not hold.',
    since: '0.1.0',
    fix: 'Correct the key, or add it to the object',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
        caBundleRef: { configMapRef: { name: corporate-ca, key: ca.pem } }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: corporate-ca }
      data:
        ca.crt: |
          -----BEGIN CERTIFICATE-----
          MIIBczCCARqgAwIBAgICEAAwCgYIKoZIzj0EAwIwIDEeMBwGA1UEAwwVbGludGVs
          IHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAw
          WjAgMR4wHAYDVQQDDBVsaW50ZWwgdGVzdCBhdXRob3JpdHkwWTATBgcqhkjOPQIB
          BggqhkjOPQMBBwNCAASkSIOSjEXfTMl5L/ZuYYJoaz9MFXNdoW+/3jcBaPCYUWt6
          QpiVY5sp66BAA+sj3YJ1EwikG19HIQ/DYS1lPaa4o0IwQDAPBgNVHRMBAf8EBTAD
          AQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUTNB6OyN9zwQDPfmrnhHqNyzZ
          QugwCgYIKoZIzj0EAwIDRwAwRAIgQtGepkYuDkxB7jh9FP/N3Y5YK0JKklCZsesi
          TYROMCYCICZvbieplZiwJLyprYGuOqbNIxK1+9EAx3EzMnbxkLgh
          -----END CERTIFICATE-----
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPServerEntry
      metadata: { name: jira }
      spec:
        remoteUrl: https://jira.example.com/mcp
        transport: streamable-http
        groupRef: { name: tools }
        caBundleRef: { configMapRef: { name: corporate-ca, key: ca.crt } }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: corporate-ca }
      data:
        ca.crt: |
          -----BEGIN CERTIFICATE-----
          MIIBczCCARqgAwIBAgICEAAwCgYIKoZIzj0EAwIwIDEeMBwGA1UEAwwVbGludGVs
          IHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAw
          WjAgMR4wHAYDVQQDDBVsaW50ZWwgdGVzdCBhdXRob3JpdHkwWTATBgcqhkjOPQIB
          BggqhkjOPQMBBwNCAASkSIOSjEXfTMl5L/ZuYYJoaz9MFXNdoW+/3jcBaPCYUWt6
          QpiVY5sp66BAA+sj3YJ1EwikG19HIQ/DYS1lPaa4o0IwQDAPBgNVHRMBAf8EBTAD
          AQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUTNB6OyN9zwQDPfmrnhHqNyzZ
          QugwCgYIKoZIzj0EAwIDRwAwRAIgQtGepkYuDkxB7jh9FP/N3Y5YK0JKklCZsesi
          TYROMCYCICZvbieplZiwJLyprYGuOqbNIxK1+9EAx3EzMnbxkLgh
          -----END CERTIFICATE-----
    `,
  },
  LNT2006: {
    name: 'duplicate-object',
    severity: 'error',
    meaning: 'Two documents describe the same object: the same kind, namespace and name.',
    since: '0.1.0',
    fix: 'Remove or rename one of the two',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: eng }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: ops }
    `,
  },
  LNT2007: {
    name: 'no-backends',
    severity: 'error',
    meaning: 'A gateway has no backend. A hint where backends may still join in a cluster.',
    since: '0.1.0',
    fix: 'Add a workload to the group',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPGroup
      metadata: { name: empty }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: empty }
        incomingAuth: { type: anonymous }
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
  LNT2008: {
    name: 'duplicate-backend',
    severity: 'error',
    meaning: 'Two backends of a gateway have the same name.',
    since: '0.1.0',
    fix: 'Rename one of the two',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata: { name: github }
      spec:
        remoteUrl: https://github.example.com/mcp
        groupRef: { name: tools }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata: { name: github-proxy }
      spec:
        remoteUrl: https://github.example.com/mcp
        groupRef: { name: tools }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
  },
  LNT2009: {
    name: 'shared-object-name',
    severity: 'error',
    meaning: 'A gateway and a registry server of one namespace would run in the same object of the cluster.',
    since: '0.1.0',
    fix: 'Rename one of the two: a registry server has "-api" behind its name there',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRegistry
      metadata: { name: tools }
      spec:
        configYAML: |
          sources: [{ name: a, file: { path: /x } }]
          registries: [{ name: main, sources: [a] }]
          auth: { mode: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: tools-api }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRegistry
      metadata: { name: catalog }
      spec:
        configYAML: |
          sources: [{ name: a, file: { path: /x } }]
          registries: [{ name: main, sources: [a] }]
          auth: { mode: anonymous }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: tools-api }
      spec:
        groupRef: { name: tools }
        incomingAuth: { type: anonymous }
    `,
  },
  LNT2010: {
    name: 'config-map-outside-sources',
    severity: 'error',
    meaning:
      'A ConfigMap holds policies or certificate authorities that become part of the bundle, and is not in these sources. A controller also reads the ConfigMaps of its cluster that have the label `lintel.dev/watch: Enabled`.',
    since: '0.1.0',
    fix: 'Add the ConfigMap to the sources, or give it the label `lintel.dev/watch: Enabled` in the cluster where a controller compiles',
    fixed: 'unservable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com }
          authzConfig: { type: configMap, configMap: { name: policies } }
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
          oidcConfigRef: { name: corp, audience: https://mcp.example.com }
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
        authz.json: |
          { "version": "1.0", "type": "cedarv1", "cedar": { "policies": ["permit(principal, action, resource);"] } }
    `,
  },
  LNT2011: {
    name: 'unusable-authorities',
    severity: 'error',
    meaning:
      'A ConfigMap that is trusted for TLS connections is empty, holds a certificate that is broken, a private key, or no certificate of an authority.',
    since: '0.1.0',
    fix: 'Put the PEM certificate of the authority that issues those of the servers there, each line at the start of a line of the text',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline:
          issuer: https://auth.example.com
          caBundleRef: { configMapRef: { name: corporate-ca, key: ca.crt } }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: corporate-ca }
      data:
        ca.crt: |
          -----BEGIN CERTIFICATE-----
          MIIB
          -----END CERTIFICATE-----
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline:
          issuer: https://auth.example.com
          caBundleRef: { configMapRef: { name: corporate-ca, key: ca.crt } }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: corporate-ca }
      data:
        ca.crt: |
          -----BEGIN CERTIFICATE-----
          MIIBczCCARqgAwIBAgICEAAwCgYIKoZIzj0EAwIwIDEeMBwGA1UEAwwVbGludGVs
          IHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAw
          WjAgMR4wHAYDVQQDDBVsaW50ZWwgdGVzdCBhdXRob3JpdHkwWTATBgcqhkjOPQIB
          BggqhkjOPQMBBwNCAASkSIOSjEXfTMl5L/ZuYYJoaz9MFXNdoW+/3jcBaPCYUWt6
          QpiVY5sp66BAA+sj3YJ1EwikG19HIQ/DYS1lPaa4o0IwQDAPBgNVHRMBAf8EBTAD
          AQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUTNB6OyN9zwQDPfmrnhHqNyzZ
          QugwCgYIKoZIzj0EAwIDRwAwRAIgQtGepkYuDkxB7jh9FP/N3Y5YK0JKklCZsesi
          TYROMCYCICZvbieplZiwJLyprYGuOqbNIxK1+9EAx3EzMnbxkLgh
          -----END CERTIFICATE-----
    `,
  },
  LNT2012: {
    name: 'idle-authority',
    severity: 'warning',
    meaning:
      'A certificate in a ConfigMap that is trusted for TLS connections has expired, or is none of an authority: it verifies no server. The day of the check counts.',
    since: '0.1.0',
    fix: 'Replace it by the authority that issues the certificates of the servers now, or take it out',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline:
          issuer: https://auth.example.com
          caBundleRef: { configMapRef: { name: corporate-ca, key: ca.crt } }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: corporate-ca }
      data:
        ca.crt: |
          -----BEGIN CERTIFICATE-----
          MIIBYjCCAQigAwIBAgICIAEwCgYIKoZIzj0EAwIwIDEeMBwGA1UEAwwVbGludGVs
          IHRlc3QgYXV0aG9yaXR5MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFow
          IDEeMBwGA1UEAwwVbGludGVsIHRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYI
          KoZIzj0DAQcDQgAEL1oZiUSHiHjbYTtKvvb8Y1fO50Bo0xqyaXfScFxt8GlLu1kl
          CQA+btSk5+nO3WlI1s6wnVAnfK47PjTMoHLaKaMyMDAwDwYDVR0TAQH/BAUwAwEB
          /zAdBgNVHQ4EFgQUz7tjI9CphiLkD1E8wFRV6pYDVBwwCgYIKoZIzj0EAwIDSAAw
          RQIgUEUkF0w1sv1i7EwZoebQSy/tftfjAZDfD2lZp6ckeK0CIQCMyj2qmIZE3bwT
          exiqadmKbHGzIDz3OGL52z70SkAtag==
          -----END CERTIFICATE-----
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: VirtualMCPServer
      metadata: { name: eng }
      spec:
        groupRef: { name: tools }
        incomingAuth:
          type: oidc
          oidcConfigRef: { name: corp, audience: https://mcp.example.com }
      ---
      apiVersion: lintel.dev/v1beta1
      kind: MCPOIDCConfig
      metadata: { name: corp }
      spec:
        type: inline
        inline:
          issuer: https://auth.example.com
          caBundleRef: { configMapRef: { name: corporate-ca, key: ca.crt } }
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata: { name: corporate-ca }
      data:
        ca.crt: |
          -----BEGIN CERTIFICATE-----
          MIIBczCCARqgAwIBAgICEAAwCgYIKoZIzj0EAwIwIDEeMBwGA1UEAwwVbGludGVs
          IHRlc3QgYXV0aG9yaXR5MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjUwMTAxMDAwMDAw
          WjAgMR4wHAYDVQQDDBVsaW50ZWwgdGVzdCBhdXRob3JpdHkwWTATBgcqhkjOPQIB
          BggqhkjOPQMBBwNCAASkSIOSjEXfTMl5L/ZuYYJoaz9MFXNdoW+/3jcBaPCYUWt6
          QpiVY5sp66BAA+sj3YJ1EwikG19HIQ/DYS1lPaa4o0IwQDAPBgNVHRMBAf8EBTAD
          AQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUTNB6OyN9zwQDPfmrnhHqNyzZ
          QugwCgYIKoZIzj0EAwIDRwAwRAIgQtGepkYuDkxB7jh9FP/N3Y5YK0JKklCZsesi
          TYROMCYCICZvbieplZiwJLyprYGuOqbNIxK1+9EAx3EzMnbxkLgh
          -----END CERTIFICATE-----
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
