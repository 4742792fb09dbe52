import { canonicalJson, computeDigest } from '#schemas';

/** Tells whether a definition has changed between two exposures: equal values, equal digests. */
export function definitionDigest(definition: unknown): string {
  try {
    return computeDigest(canonicalJson(definition));
  } catch {
    // Half of a surrogate pair, for which the catalog is to blame: any text that tells definitions apart will do.
    return computeDigest(JSON.stringify(definition));
  }
}
