/** Valid configurations that together contain every section and every field of a provider. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const EVERY_SECTION: unknown = parse(`
registryName: full
sources:
  - { name: local, file: { path: /data/local.json }, claims: { orgId: example } }
  - { name: page, file: { url: https://www.example.com/servers.json, timeout: 20s }, syncPolicy: { interval: 15m } }
  - name: catalog
    git: { repository: https://git.example.com/c.git, tag: v1, path: a/b.json, auth: { username: u, passwordFile: /s/git } }
    syncPolicy: { interval: 5m }
    filter:
      names: { include: ["com.example/*"], exclude: ["*/*-preview"] }
      tags: { include: [approved], exclude: [beta] }
    claims: { team: [a, b] }
  - { name: upstream, api: { endpoint: https://registry.example.com, timeout: 10s }, syncPolicy: { interval: 1h } }
registries:
  - { name: Main, sources: [local, catalog], claims: { orgId: [example, partner] } }
  - { name: open, sources: [page, upstream] }
  - { name: rest, sources: [upstream, local] }
auth:
  mode: oauth
  oauth:
    resourceUrl: https://registry.example.com/tools
    realm: tools
    publicPaths: [/registry/open]
    providers:
      - name: people
        issuerUrl: https://login.example.com/
        audience: registry
        jwksUrl: https://login.example.com/keys
        introspectionUrl: https://login.example.com/introspect
        clientId: registry
        clientSecretFile: /secrets/client
        caCertPath: /secrets/ca.pem
        authTokenFile: /secrets/token
      - { name: pods, issuerUrl: https://issuer.corp.internal, audience: registry, allowPrivateIP: true }
  authz:
    roles:
      superAdmin: [{ groups: admins }, { sub: [root, admin] }]
      manageEntries: [{ groups: editors }]
telemetry: { enabled: true, endpoint: otel.example.com:4318, tracing: { enabled: true, sampling: 0.5 }, metrics: { enabled: true } }
audit: { enabled: false, eventTypes: [server.list], maxDataSize: 1024 }
database: { host: db, port: 5432 }
`);

const ANONYMOUS: unknown = parse(`
sources: [{ name: a, file: { path: /data/a.json } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`);

export const BASES: readonly (readonly [title: string, config: unknown])[] = [
  ['the example', parse(readFileSync('examples/registry/registry.yaml', 'utf8'))],
  ['every section', EVERY_SECTION],
  ['anonymous', ANONYMOUS],
];
