/** Registry servers for tests of the exposure. */
import type { RegistryExposure } from '#compiler';
import { compileFiles } from '../../registry/compiling.ts';

const PROVIDERS = `    providers:
      - name: people
        issuerUrl: https://login.example.com/
        audience: registry
        introspectionUrl: https://login.example.com/introspect?client=secret
        clientId: registry
        clientSecretFile: /secrets/client
      - name: pods
        issuerUrl: https://kubernetes.default.svc
        audience: registry
        jwksUrl: https://kubernetes.default.svc/openid/v1/jwks
        caCertPath: /var/run/ca.crt
        authTokenFile: /var/run/token
        introspectionUrl: https://kubernetes.default.svc/introspect
        allowPrivateIP: true
      - name: partners
        issuerUrl: https://partners.example.com
        audience: registry
        introspectionUrl: https://partners.example.com/introspect
        clientId: guest
`;

const SOURCES = `sources:
  - { name: own, file: { path: /data/own.json }, claims: { org: example } }
  - { name: team, file: { path: /data/team.json }, claims: { org: [example, partner], "odd claim": [b, a] } }
  - name: git
    git:
      repository: https://git.example.com/catalog.git
      auth: { username: robot, passwordFile: /secrets/git }
    syncPolicy: { interval: 5m }
  - { name: upstream, api: { endpoint: https://registry.example.com, auth: { tokenFile: /secrets/api } }, syncPolicy: { interval: 1h } }
  - { name: page, file: { url: "https://www.example.com/servers.json?key=secret", auth: { username: page, passwordFile: /secrets/page } }, syncPolicy: { interval: 1h } }
  - { name: unused, file: { path: /data/unused.json } }
`;

const REGISTRIES = `registries:
  - { name: staff, sources: [git, own, team], claims: { org: example } }
  - { name: partners, sources: [team, upstream], claims: { org: [partner, example] } }
  - { name: bare, sources: [own, page] }
  - { name: open, sources: [upstream, page] }
`;

/** Many features together: overlapping claims, a source without claims, a registry without claims, and a public one. */
export const EVERYTHING = `${SOURCES}${REGISTRIES}auth:
  oauth:
    resourceUrl: https://registry.example.com/mcp/
    publicPaths: [/registry/open]
${PROVIDERS}  authz:
    roles:
      superAdmin: [{ groups: admins, org: example }, { sub: root }, {}]
      manageEntries: [{ groups: editors }]
`;

/** The same without authorization. */
export const AUTHENTICATED = EVERYTHING.slice(0, EVERYTHING.indexOf('  authz:'));

export const ANONYMOUS = `${SOURCES}${REGISTRIES}auth: { mode: anonymous }\n`;

/** The exposure of the only registry server in a configuration. */
export function compileExposure(text: string): RegistryExposure {
  const [registry] = compileFiles({ 'company.yaml': text }).registries;
  const exposure = registry?.exposure();
  if (!exposure) throw new Error('no exposure');
  return exposure;
}
