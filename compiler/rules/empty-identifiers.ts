import type { MCPExternalAuthConfigSpec, MCPOIDCConfig } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { gatewaySpec } from './support/gateway-spec.ts';
import { listStrategies } from './support/outgoing-strategies.ts';

/** Fields that identify a client or user to an authorization server. */
const EXAMPLES = {
  audience: 'https://mcp.example.com',
  clientId: 'lintel',
  targetAudience: 'https://mcp.example.com',
  targetClientId: 'backend',
  idpClientId: 'lintel',
} as const;

const IDENTIFIERS = Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[];

/**
 * An explicit audience or client must not be empty: no token has an empty audience, and no server knows such a client. An `oauth2Config` may
 * have an empty `clientId`, which stands for dynamic registration.
 *
 * @holds incomingAuth | `audience`, `clientId` and similar fields of sign-in, upstreams and token exchanges | not empty | LNT1013 |
 *   `unservable/`
 */
export function emptyIdentifiers(resource: Resource): Diagnostic[] {
  return listBlocks(resource).flatMap(({ block, path }) =>
    IDENTIFIERS.filter(field => isBlank(block?.[field])).map(field =>
      diagnose(resource.document, 'LNT1013', [...path, field], `${field} is empty, so it has no effect`, {
        help: `Write the value that the authorization server expects, such as ${EXAMPLES[field]}, or leave the field out if it is optional`,
      }),
    ),
  );
}

interface OidcBlock {
  readonly block: { readonly [K in (typeof IDENTIFIERS)[number]]?: unknown } | undefined;
  readonly path: Path;
}

function listBlocks(resource: Resource): OidcBlock[] {
  const server = findAuthServer(resource);
  const upstreams = (server?.server.upstreamProviders ?? []).map(({ oidcConfig }, index) => ({
    block: oidcConfig,
    path: [...(server?.path ?? []), 'upstreamProviders', index, 'oidcConfig'],
  }));
  switch (resource.kind) {
    case 'VirtualMCPServer': {
      const oidc = gatewaySpec(resource)?.config?.incomingAuth?.oidc;
      const strategies = listStrategies(resource).flatMap(({ strategy, path }) => listExchanges(strategy, path));
      return [{ block: oidc, path: ['spec', 'config', 'incomingAuth', 'oidc'] }, ...strategies, ...upstreams];
    }
    case 'MCPExternalAuthConfig':
      return [...listExchanges(resource.spec as MCPExternalAuthConfigSpec, ['spec']), ...upstreams];
    case 'MCPOIDCConfig':
      return [{ block: (resource.spec as NonNullable<MCPOIDCConfig['spec']>).inline, path: ['spec', 'inline'] }];
    default:
      return [];
  }
}

type Exchanges = Pick<MCPExternalAuthConfigSpec, 'tokenExchange' | 'obo' | 'xaa'>;

function listExchanges(
  { tokenExchange, obo, xaa }: { readonly [K in keyof Exchanges]?: object },
  path: Path,
): OidcBlock[] {
  return [
    { block: tokenExchange, path: [...path, 'tokenExchange'] },
    { block: obo, path: [...path, 'obo'] },
    { block: xaa, path: [...path, 'xaa'] },
  ];
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}
