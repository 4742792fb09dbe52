import { type CatalogItem, computeDigest, formatCanonicalJson } from '#schemas';

/** The digest of a definition, as the tool lock and pinned tools have it; undefined when canonical JSON cannot represent it. */
export function computeItemDigest(definition: CatalogItem): string | undefined {
  try {
    return computeDigest(formatCanonicalJson(definition));
  } catch {
    return undefined;
  }
}
