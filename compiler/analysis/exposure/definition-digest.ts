import { computeDigest, formatCanonicalJson } from '#schemas';

/** Identifies a definition: equal definitions have equal digests. */
export function computeDefinitionDigest(definition: unknown): string {
  try {
    return computeDigest(formatCanonicalJson(definition));
  } catch {
    // The catalog contains an unpaired surrogate, which canonical JSON refuses. Plain JSON also tells definitions apart.
    return computeDigest(JSON.stringify(definition));
  }
}
