import { nearest } from '../check/nearest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { gatewaySpec } from './gateway-spec.ts';

/** Policies read the claims of one upstream: the one that is named, which must exist. */
export function primaryUpstream(resource: Resource): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec === undefined) return [];
  const { authServerConfig: server, incomingAuth } = spec;
  const { authzConfig, authzConfigRef } = incomingAuth;
  const old = authzConfig?.type === 'inline' ? authzConfig.inline?.primaryUpstreamProvider : undefined;
  const oldPath = ['spec', 'incomingAuth', 'authzConfig', 'inline', 'primaryUpstreamProvider'];
  const chosen = server?.primaryUpstreamProvider;
  if (chosen !== undefined && chosen !== '') {
    const found = known(resource, chosen, ['spec', 'authServerConfig', 'primaryUpstreamProvider']);
    if (old === undefined || old === '' || old === chosen) return found;
    const message =
      'primaryUpstreamProvider has no effect here: authServerConfig.primaryUpstreamProvider takes precedence';
    return [...found, diagnose(resource.document, 'LNT1008', oldPath, message, { at: 'key' })];
  }
  if (old !== undefined && old !== '') return known(resource, old, oldPath);
  const upstreams = server?.upstreamProviders ?? [];
  if (upstreams.length < 2 || (authzConfig === undefined && authzConfigRef === undefined)) return [];
  const message = `policies read the claims of the first of ${upstreams.length} upstreams, "${upstreams[0]?.name}"`;
  const fix = 'say which one is meant in authServerConfig.primaryUpstreamProvider';
  return [
    diagnose(resource.document, 'LNT4012', ['spec', 'authServerConfig', 'upstreamProviders'], message, {
      at: 'key',
      fix,
    }),
  ];
}

function known(resource: Resource, name: string, path: Path): Diagnostic[] {
  const server = gatewaySpec(resource)?.authServerConfig;
  if (server === undefined) {
    const message = `there is no authServerConfig that could have an upstream "${name}"`;
    return [diagnose(resource.document, 'LNT4011', path, message)];
  }
  const names = server.upstreamProviders.map(upstream => upstream.name);
  if (names.includes(name)) return [];
  const close = nearest(name, names);
  const details = close === undefined ? {} : { fix: `did you mean "${close}"?` };
  return [diagnose(resource.document, 'LNT4011', path, `no upstream is named "${name}"`, details)];
}
