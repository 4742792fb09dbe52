import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

export const REGISTRY_SERVER_CODES = {
  LNT8001: {
    name: 'public-path-too-wide',
    severity: 'error',
    meaning:
      'A public path opens more than it names: everything, all registries, what has claims, or what changes state.',
    since: '0.1.0',
    fix: 'Name the registry that everybody may read, and give neither it nor its sources claims',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          publicPaths: [/registry]
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8002: {
    name: 'everybody-may-everything',
    severity: 'warning',
    meaning:
      'Callers are authenticated and nothing says what they may do, so each of them has all roles and sees everything.',
    since: '0.1.0',
    fix: 'Add auth.authz, which says who may do what',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8003: {
    name: 'claims-of-nobody',
    severity: 'warning',
    meaning: 'Roles or claims are given and the mode is anonymous, so nobody has any and none are looked at.',
    since: '0.1.0',
    fix: 'Set auth.mode to oauth, or remove them',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        mode: anonymous
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
      auth:
        mode: anonymous
    `,
  },
  LNT8004: {
    name: 'dead-claims',
    severity: 'warning',
    meaning: 'Claims that no caller can have: an entry of a role without claims, or a claim without values.',
    since: '0.1.0',
    fix: 'Write the claims that callers have, or remove the entry',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{}] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8005: {
    name: 'repeated-provider',
    severity: 'warning',
    meaning:
      'Two providers accept tokens of the same issuer and audience. The first that accepts wins, so the second is asked in vain.',
    since: '0.1.0',
    fix: 'Remove one of them, or correct its issuer or audience',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
            - { name: ci, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
            - { name: ci, issuerUrl: https://ci.example.com, audience: registry }
    `,
  },
  LNT8006: {
    name: 'private-access-unneeded',
    severity: 'warning',
    meaning:
      'A provider may be at a private address and is not at one, so a name service could lead the server into the inner network. A hint when it is not known where the provider is.',
    since: '0.1.0',
    fix: 'Remove allowPrivateIP',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://accounts.google.com, audience: registry, allowPrivateIP: true }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://accounts.google.com, audience: registry }
    `,
  },
  LNT8007: {
    name: 'insecure-registry-url',
    severity: 'error',
    meaning:
      'A URL of a provider is plain http: whoever can change the answers can sign in as anybody (and one on this machine is refused if another URL of the provider is https); or a repository to which a password is sent is. A warning for the URL of the server itself and of other sources.',
    since: '0.1.0',
    fix: 'Use https',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: http://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8008: {
    name: 'audience-of-the-cluster',
    severity: 'warning',
    meaning:
      'The audience of a provider is the one of the cluster API. Every pod has such a token, so every pod may call.',
    since: '0.1.0',
    fix: 'Ask for tokens with an audience of this server, in a projected volume, and write that one',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: https://kubernetes.default.svc }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8009: {
    name: 'malformed-export-claims',
    severity: 'error',
    meaning:
      'The annotation with the claims of an exported server is not a JSON object of strings and lists of strings, so the server is not listed.',
    since: '0.1.0',
    fix: 'Write a JSON object, such as {"team": ["platform"]}',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
          lintel.dev/authz-claims: '{team: platform}'
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
          lintel.dev/authz-claims: '{"team": "platform"}'
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
  },
  LNT8010: {
    name: 'resource-url-not-served',
    severity: 'warning',
    meaning: 'The URL of the resource is not one that this server can have, so clients refuse its metadata.',
    since: '0.1.0',
    fix: 'Write the URL that everything else of the server is below',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com:8081
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8011: {
    name: 'ambiguous-public-path',
    severity: 'error',
    meaning: 'A public path can be read in more than one way, so the server could open what nobody meant.',
    since: '0.1.0',
    fix: 'Write the plain path: decoded, without dots, patterns, queries or white space',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          publicPaths: [/docs/..]
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8012: {
    name: 'public-path-without-effect',
    severity: 'warning',
    meaning: 'A public path leads to nothing that needs a token at the main address.',
    since: '0.1.0',
    fix: 'Correct or remove it',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          publicPaths: [/health]
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8013: {
    name: 'private-provider-refused',
    severity: 'error',
    meaning:
      'A provider is at a private address and allowPrivateIP is not set, so the server refuses to connect and accepts none of its tokens.',
    since: '0.1.0',
    fix: 'Set allowPrivateIP to true if the address is meant',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.corp.internal, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.corp.internal, audience: registry, allowPrivateIP: true }
    `,
  },
  LNT8014: {
    name: 'incomplete-cluster-provider',
    severity: 'warning',
    meaning: 'The API of a cluster is a provider, and something is missing without which its keys cannot be read.',
    since: '0.1.0',
    fix: 'Add jwksUrl, caCertPath and authTokenFile',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://kubernetes.default.svc, audience: registry, allowPrivateIP: true }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - name: cluster
              issuerUrl: https://kubernetes.default.svc
              audience: registry
              jwksUrl: https://kubernetes.default.svc/openid/v1/jwks
              caCertPath: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
              authTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
              allowPrivateIP: true
    `,
  },
  LNT8015: {
    name: 'unused-source',
    severity: 'warning',
    meaning: 'No registry shows the source, so its entries are fetched for nobody.',
    since: '0.1.0',
    fix: 'Add it to a registry or remove it',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
        - name: drafts
          file: { path: drafts.json }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
        - name: drafts
          file: { path: drafts.json }
      registries:
        - name: main
          sources: [catalog, drafts]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8016: {
    name: 'source-needs-database',
    severity: 'error',
    meaning:
      'Entries of a managed source are published over an API and kept in a database. This server is fed from Git and from other registries, and has neither.',
    since: '0.1.0',
    fix: 'Put the entries into a file of the repository and use a file source',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
        - name: drafts
          managed: {}
      registries:
        - name: main
          sources: [catalog, drafts]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
        - name: drafts
          file: { path: drafts.json }
      registries:
        - name: main
          sources: [catalog, drafts]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8017: {
    name: 'incomplete-export',
    severity: 'warning',
    meaning: 'An object is to be listed in a registry, and an annotation is missing without which it is not.',
    since: '0.1.0',
    fix: 'Add the annotation',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-description: Searches the documentation.
          lintel.dev/authz-claims: '{"team": "platform"}'
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: MCPRemoteProxy
      metadata:
        name: docs
        annotations:
          lintel.dev/registry-export: "true"
          lintel.dev/registry-url: https://docs.example.com/mcp
          lintel.dev/registry-description: Searches the documentation.
          lintel.dev/authz-claims: '{"team": "platform"}'
      spec:
        remoteUrl: https://docs.example.com/mcp
    `,
  },
  LNT8018: {
    name: 'impossible-name-pattern',
    severity: 'error',
    meaning:
      'A pattern for names holds a character that no name has, so it fits nothing. In patterns "*" fits any text, and there is nothing else.',
    since: '0.1.0',
    fix: 'Write the pattern with "*", such as `io.github.acme/*`',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          filter: { names: { include: ['io.github.{a,b}/*'] } }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          filter: { names: { include: ['io.github.a/*', 'io.github.b/*'] } }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8019: {
    name: 'included-and-excluded',
    severity: 'warning',
    meaning: 'A filter includes what it excludes as well. Exclusion wins, so the inclusion does nothing.',
    since: '0.1.0',
    fix: 'Remove one of the two',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          filter: { tags: { include: [beta], exclude: [beta] } }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          filter: { tags: { include: [beta] } }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
          claims: { team: platform }
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
  LNT8030: {
    name: 'seen-by-nobody',
    severity: 'warning',
    meaning:
      'Claims decide who sees what, and a registry or a source has none. Such a one is for super admins, and there are no super admins.',
    since: '0.1.0',
    fix: 'Give it the claims that its callers have, or say who the super admins are',
    bad: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
      auth:
        authz: {}
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
    good: yaml`
      sources:
        - name: catalog
          api: { endpoint: https://registry.example.org }
          syncPolicy: { interval: 1h }
      registries:
        - name: main
          sources: [catalog]
      auth:
        authz: { roles: { superAdmin: [{ role: admin }] } }
        oauth:
          resourceUrl: https://registry.example.com
          providers:
            - { name: corp, issuerUrl: https://login.example.com, audience: registry }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
