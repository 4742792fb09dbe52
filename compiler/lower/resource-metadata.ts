import { RESOURCE_METADATA_PATH, type ResourceMetadataPlan } from '#schemas';

/** The path of the resource follows the well-known path (RFC 9728, section 3.1); the plain path is served as well. */
export function computeResourceMetadata(resource: string): Pick<ResourceMetadataPlan, 'url' | 'paths'> {
  const { origin, pathname } = new URL(resource);
  const path = `${RESOURCE_METADATA_PATH}${pathname === '/' ? '' : pathname}`;
  return { url: `${origin}${path}`, paths: [...new Set([path, RESOURCE_METADATA_PATH])] };
}
