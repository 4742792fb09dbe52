import {
  API_DOCUMENT_PATH,
  API_DOCUMENT_YAML_PATH,
  PAGE_PARTS,
  REGISTRY_PATH,
  REGISTRY_ROUTES,
  type RegistryAuthPlan,
  type RegistryPlan,
  type RegistryRoutePlan,
} from '#schemas';
import { isCovered } from '../../analysis/registry/public-path.ts';

/** Every route of the main address with its access rule. A public path covers a route completely or not at all. */
export function lowerRoutes(
  auth: RegistryAuthPlan,
  publicPaths: readonly string[],
  registries: readonly RegistryPlan[],
): RegistryRoutePlan[] {
  const metadata = auth.mode === 'oauth' ? auth.resourceMetadata.paths : [];
  const own = [...Object.values(PAGE_PARTS), API_DOCUMENT_PATH, API_DOCUMENT_YAML_PATH, ...metadata].map(path => ({
    path,
    registry: null,
  }));
  const views = registries.flatMap(({ name }) =>
    REGISTRY_ROUTES.map(({ path }) => ({ path: `${REGISTRY_PATH}/${name}${path}`, registry: name })),
  );
  return [...own, ...views].map(({ path, registry }) => {
    const isPublic = publicPaths.some(above => isCovered(path, above));
    return { method: 'GET', path, access: isPublic ? 'public' : 'caller', registry };
  });
}
