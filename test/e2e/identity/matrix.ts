/** The table of compiler/lower/outgoing/README.md, and specs for its cells. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/process.ts';

export interface Cell {
  /** The place of the choice: `own reference`, or `spec` or `config` with `default` or `backends`. */
  readonly place: string;
  readonly type: string;
  readonly backend: Backend;
  readonly source: string;
  /** A type of plan, the code of an error, `not read`, or `–` where no choice is possible. */
  readonly outcome: string;
}

export type Backend = 'MCPServer' | 'MCPRemoteProxy' | 'MCPServerEntry' | 'static backend';

/** All cells, row by row. */
export function readMatrix(): readonly Cell[] {
  const text = readFileSync(join(ROOT, 'compiler/lower/outgoing/README.md'), 'utf8');
  const [head = [], , ...rows] = text
    .split('\n')
    .filter(line => line.startsWith('| '))
    .map(line => line.slice(2, -2).split(' | '));
  return rows.flatMap(([place = '', type = '', ...outcomes]) =>
    outcomes.map((outcome, index) => {
      const [backend = '', source = ''] = (head[index + 2] ?? '').split(', ');
      return {
        place,
        type: type.replaceAll('`', ''),
        backend: backend as Backend,
        source,
        outcome: outcome.replaceAll('`', ''),
      };
    }),
  );
}

/** The name of a type's objects and backends. */
export function kebab(type: string): string {
  return type.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

const SHORT: { readonly [backend in Backend]: string } = {
  MCPServer: 'server',
  MCPRemoteProxy: 'proxy',
  MCPServerEntry: 'entry',
  'static backend': 'static',
};

/** Cells of a default share a gateway for each type, the others share one for each place and source. */
export function nameGateway({ place, type, source }: Cell): string {
  const shared = place.endsWith('default') ? [kebab(type)] : [];
  return [...place.replace(' reference', '').split(', '), ...shared, source].join('-');
}

/** All types share the backends of a default; each other backend has one type. */
function groupOf({ place, source }: Pick<Cell, 'place' | 'source'>): string {
  if (place === 'own reference') return `own-${source}`;
  return place.endsWith('default') ? 'plain' : 'chosen';
}

export function nameBackend(cell: Cell): string {
  const group = groupOf(cell);
  return [SHORT[cell.backend], ...(group === 'plain' ? [] : [kebab(cell.type)]), group].join('-');
}

/** The backend's host name. */
export function nameHost(cell: Cell): string {
  const name = nameBackend(cell);
  const hosts: { readonly [backend in Backend]: string } = {
    MCPServer: `mcp-${name}-proxy.default.svc.cluster.local`,
    MCPRemoteProxy: `mcp-${name}-remote-proxy.default.svc.cluster.local`,
    MCPServerEntry: `${name}.corp.example`,
    'static backend': `${name}.corp.example`,
  };
  return hosts[cell.backend];
}

interface Method {
  /** `spec` of an MCPExternalAuthConfig. */
  readonly config: string;
  /** The strategy in `config.outgoingAuth`, if it is possible there. */
  readonly strategy?: string;
}

export const ROLE = 'arn:aws:iam::123456789012:role/staff';

/** @param tokenUrl of the identity provider, and the registered client */
function methods(tokenUrl: string, clientId: string): { readonly [type: string]: Method } {
  const exchange = `tokenUrl: "${tokenUrl}", audience: "urn:exchanged", clientId: ${clientId}`;
  const aws = `region: us-east-1, roleMappings: [{ claim: staff, roleArn: "${ROLE}" }]`;
  const obo = `clientId: ${clientId}, audience: "urn:on-behalf"`;
  const xaa = `idpTokenUrl: "https://okta.example/token", idpClientId: gw, targetTokenUrl: "https://b.example/token", targetClientId: me, targetAudience: b`;
  return {
    unauthenticated: { config: 'type: unauthenticated', strategy: 'type: unauthenticated' },
    headerInjection: {
      config:
        'type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: header } }',
      strategy: 'type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: LINTEL_KEY }',
    },
    tokenExchange: {
      config: `type: tokenExchange, tokenExchange: { ${exchange}, clientSecretRef: { name: keys, key: client } }`,
      strategy: `type: token_exchange, tokenExchange: { ${exchange}, clientSecretEnv: LINTEL_CLIENT }`,
    },
    upstreamInject: {
      config: 'type: upstreamInject, upstreamInject: { providerName: okta }',
      strategy: 'type: upstream_inject, upstreamInject: { providerName: okta }',
    },
    awsSts: { config: `type: awsSts, awsSts: { ${aws} }`, strategy: `type: aws_sts, awsSts: { ${aws} }` },
    obo: {
      config: `type: obo, obo: { tenantId: corp, ${obo}, clientSecretRef: { name: keys, key: client } }`,
      strategy: `type: obo, obo: { tokenUrl: "https://login.microsoftonline.com/corp/oauth2/v2.0/token", ${obo}, clientSecretEnv: LINTEL_CLIENT }`,
    },
    xaa: { config: `type: xaa, xaa: { ${xaa} }`, strategy: `type: xaa, xaa: { ${xaa} }` },
    bearerToken: { config: 'type: bearerToken, bearerToken: { tokenSecretRef: { name: keys, key: k } }' },
    embeddedAuthServer: {
      config:
        'type: embeddedAuthServer, embeddedAuthServer: { issuer: "https://auth.example", upstreamProviders: [{ name: okta, type: oidc, oidcConfig: { issuerUrl: "https://okta.example", clientId: gw } }] }',
    },
  };
}

export const AUDIENCE = 'https://mcp.corp.example/mcp';

export interface Provider {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly client: { readonly id: string };
}

/**
 * One document with every object for these cells: gateways that trust the provider, groups, members and credentials.
 *
 * @param signIn a further field of the gateways
 */
export function specsFor(cells: readonly Cell[], provider: Provider, signIn = ''): string {
  const known = methods(provider.tokenUrl, provider.client.id);
  const used = cells.filter(({ outcome }) => outcome !== '–');
  const members = new Map(used.map(cell => [nameBackend(cell), member(cell)]));
  const gateways = Map.groupBy(used, nameGateway) as Map<string, [Cell, ...Cell[]]>;
  return [
    object(
      'MCPOIDCConfig',
      'corp',
      `{ type: inline, inline: { issuer: "${provider.issuer}", insecureAllowHTTP: true, jwksAllowPrivateIP: true } }`,
    ),
    ...new Set(used.map(cell => object('MCPGroup', groupOf(cell), '{}'))),
    ...[...new Set(used.map(({ type }) => type))].map(type =>
      object('MCPExternalAuthConfig', kebab(type), `{ ${known[type]?.config} }`),
    ),
    ...members.values(),
    ...[...gateways].map(([name, of]) => gateway(name, of, known, signIn)),
  ].join('---\n');
}

function object(kind: string, name: string, spec: string): string {
  return `apiVersion: lintel.dev/v1beta1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
}

/** A workload; a comment for a static backend, which is defined in its gateway. A workload that issues tokens has to require them. */
function member(cell: Cell): string {
  const isGuarded = cell.type === 'embeddedAuthServer' && cell.backend !== 'MCPServerEntry';
  const guard = isGuarded
    ? ', oidcConfigRef: { name: corp, audience: "https://b.example", resourceUrl: "https://b.example" }'
    : '';
  const ref = cell.place === 'own reference' ? `, externalAuthConfigRef: { name: ${kebab(cell.type)} }${guard}` : '';
  const fields: { readonly [backend in Backend]: string } = {
    MCPServer: 'image: example.com/tools:1, transport: streamable-http',
    MCPRemoteProxy: 'remoteUrl: "https://tools.example/mcp"',
    MCPServerEntry: `remoteUrl: "http://${nameHost(cell)}/mcp", transport: streamable-http, allowPrivateEndpoint: true`,
    'static backend': '',
  };
  if (cell.backend === 'static backend') return '# a static backend\n';
  return object(
    cell.backend,
    nameBackend(cell),
    `{ groupRef: { name: ${groupOf(cell)} }, ${fields[cell.backend]}${ref} }`,
  );
}

function gateway(
  name: string,
  cells: readonly [Cell, ...Cell[]],
  known: { readonly [type: string]: Method },
  signIn: string,
): string {
  const [first] = cells;
  const { place, type, source } = first;
  const choice = (of: string) =>
    place.startsWith('spec')
      ? `{ type: externalAuthConfigRef, externalAuthConfigRef: { name: ${kebab(of)} } }`
      : `{ ${known[of]?.strategy} }`;
  const choices = place.endsWith('default')
    ? `, default: ${choice(type)}`
    : `, backends: { ${cells.map(cell => `${nameBackend(cell)}: ${choice(cell.type)}`).join(', ')} }`;
  const outgoing = `outgoingAuth: { source: ${source}${place === 'own reference' ? '' : choices} }`;
  const statics = cells
    .filter(({ backend }) => backend === 'static backend')
    .map(cell => `{ name: ${nameBackend(cell)}, url: "http://${nameHost(cell)}/mcp", transport: streamable-http }`);
  const backends = `metadata: {}${statics.length === 0 ? '' : `, backends: [${statics.join(', ')}]`}`;
  return object(
    'VirtualMCPServer',
    name,
    `
  groupRef: { name: ${groupOf(first)} }
  incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: "${AUDIENCE}", resourceUrl: "${AUDIENCE}" } }${signIn}
  ${place.startsWith('config') ? `config: { ${backends}, ${outgoing} }` : `${outgoing}\n  config: { ${backends} }`}`,
  );
}
