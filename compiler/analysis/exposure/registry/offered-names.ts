/** The names in a file of entries, each with a digest of all its versions. */
import { compareText, computeDigest, type RegistryEntry } from '#schemas';
import type { OfferedName } from './registry-exposure.ts';

/** @param text one entry as JSON text in each line, sorted by name and version */
export function listOfferedNames(text: string): readonly OfferedName[] {
  const lines = text.split('\n').filter(line => line !== '');
  const byName = Map.groupBy(lines, line => (JSON.parse(line) as RegistryEntry).server.name);
  return [...byName]
    .map(([name, all]) => ({ name, digest: computeDigest(all.join('\n')) }))
    .sort((a, b) => compareText(a.name, b.name));
}
