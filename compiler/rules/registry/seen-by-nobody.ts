import { REGISTRY_PATH } from '#schemas';
import { findOAuth, type RegistryDocument } from '../../analysis/registry/document.ts';
import { isCovered, normalizePath } from '../../analysis/registry/public-path.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * With authorization by claims, sources and registries without claims are visible to super admins only: without super admins no caller sees
 * them.
 *
 * @holds Registry server | `registries`, `auth.authz` | each registry, and each source in it, is visible to some caller | LNT8030
 */
export function seenByNobody(registry: RegistryDocument): Diagnostic[] {
  const { document, config } = registry;
  const { mode, authz } = config.auth;
  if (mode === 'anonymous' || authz === undefined) return [];
  // An empty rule matches no caller.
  if ((authz.roles?.superAdmin ?? []).some(rule => Object.keys(rule as object).length > 0)) return [];
  const isPublic = hasPublicRegistries(registry);
  const unclaimed = new Set(config.sources.filter(({ claims }) => hasNone(claims)).map(({ name }) => name));
  return config.registries.flatMap(({ name, sources, claims }, index) => {
    if (isPublic(name)) return [];
    const path = ['registries', index];
    const because = 'has no claims, and there are no super admins';
    if (hasNone(claims))
      return [diagnose(document, 'LNT8030', [...path, 'name'], `no caller sees the registry "${name}": it ${because}`)];
    return sources.flatMap((source, at) =>
      unclaimed.has(source)
        ? [
            diagnose(
              document,
              'LNT8030',
              [...path, 'sources', at],
              `no caller sees the entries of "${source}" in "${name}": the source ${because}`,
            ),
          ]
        : [],
    );
  });
}

function hasNone(claims: object | undefined): boolean {
  return Object.keys(claims ?? {}).length === 0;
}

function hasPublicRegistries(registry: RegistryDocument): (name: string) => boolean {
  const paths = (findOAuth(registry)?.value.publicPaths ?? []).map(normalizePath);
  return name =>
    paths.some(path => isCovered(`${REGISTRY_PATH}/${name}`, path) || isCovered(path, `${REGISTRY_PATH}/${name}`));
}
