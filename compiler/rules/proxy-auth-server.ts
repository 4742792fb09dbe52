import type { MCPExternalAuthConfigSpec, MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { toRelatedLocation } from '../resolve/related-location.ts';

type Proxy = Pick<MCPServerSpec, 'authServerRef' | 'externalAuthConfigRef' | 'oidcConfigRef'>;

/**
 * A proxy with an authorization server of its own needs exactly one upstream, and tokens for its own URL.
 *
 * @holds Other kinds | MCPServer, with an `embeddedAuthServer` | one upstream; `oidcConfigRef` with a `resourceUrl` equal to `audience` |
 *   LNT4022, LNT1010, LNT4003
 */
export function proxyAuthServer(resource: Resource, inventory: Inventory): Diagnostic[] {
  if (resource.kind !== 'MCPServer' && resource.kind !== 'MCPRemoteProxy') return [];
  const spec = resource.spec as Proxy;
  const used = (['authServerRef', 'externalAuthConfigRef'] as const).flatMap(field => {
    const name = spec[field]?.name;
    const config = name === undefined ? undefined : findAuthServer(inventory, resource.namespace, name);
    return config === undefined ? [] : [{ field, config }];
  });
  const found = used.flatMap(({ field, config }) => {
    const count = config.spec.embeddedAuthServer?.upstreamProviders.length ?? 0;
    if (count < 2) return [];
    const message = `the authorization server of MCPExternalAuthConfig "${config.name}" has ${count} upstreams, and in front of a single server it can have one`;
    const related = [
      toRelatedLocation('the upstreams', {
        resource: config,
        path: ['spec', 'embeddedAuthServer', 'upstreamProviders'],
      }),
    ];
    return [diagnose(resource.document, 'LNT4022', ['spec', field, 'name'], message, { related })];
  });
  const [first] = used;
  return first === undefined ? found : [...found, ...checkTokens(resource, spec, first.field)];
}

function findAuthServer(inventory: Inventory, namespace: string, name: string) {
  const config = inventory.find<MCPExternalAuthConfigSpec>('MCPExternalAuthConfig', namespace, name);
  return config?.spec.type === 'embeddedAuthServer' ? config : undefined;
}

function checkTokens(resource: Resource, { oidcConfigRef }: Proxy, field: string): Diagnostic[] {
  const path = ['spec', 'oidcConfigRef'];
  if (oidcConfigRef === undefined) {
    const message = `${field} issues tokens, and without oidcConfigRef callers need no token`;
    return [diagnose(resource.document, 'LNT1010', path, message)];
  }
  const { audience, resourceUrl = '' } = oidcConfigRef;
  if (resourceUrl === '') {
    const message = `${field} issues tokens for the URL of this server, so oidcConfigRef.resourceUrl must be this URL`;
    return [diagnose(resource.document, 'LNT1010', [...path, 'resourceUrl'], message)];
  }
  if (audience === resourceUrl) return [];
  const message = `audience "${audience}" differs from resourceUrl "${resourceUrl}", the only audience of the tokens that it issues`;
  const fix = `audience: ${resourceUrl}`;
  return [diagnose(resource.document, 'LNT4003', [...path, 'audience'], message, { fix })];
}
