/** Finds embedded authorization servers, which are inline in a gateway or, for proxies, in an MCPExternalAuthConfig. */
import type { MCPExternalAuthConfigSpec, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';

export type AuthServer = NonNullable<VirtualMCPServerSpec['authServerConfig']>;
export type UpstreamSpec = AuthServer['upstreamProviders'][number];

export interface AuthServerLocation {
  readonly server: AuthServer;
  readonly path: Path;
}

/** The authorization server that an object describes, if any. */
export function findAuthServer(resource: Resource): AuthServerLocation | undefined {
  if (resource.kind === 'VirtualMCPServer') {
    const { authServerConfig } = resource.spec as VirtualMCPServerSpec;
    return authServerConfig && { server: authServerConfig, path: ['spec', 'authServerConfig'] };
  }
  if (resource.kind !== 'MCPExternalAuthConfig') return undefined;
  const { embeddedAuthServer } = resource.spec as MCPExternalAuthConfigSpec;
  return embeddedAuthServer && { server: embeddedAuthServer, path: ['spec', 'embeddedAuthServer'] };
}
