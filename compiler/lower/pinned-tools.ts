/** Pinned tools: clients get them as the tool lock has them, or not at all. */
import { type BackendPlan, compareText, PINNED_TOOLS_ANNOTATION } from '#schemas';
import { computeItemDigest } from '#shared/plan';
import type { Catalog } from '../analysis/catalog/index.ts';
import type { BackendOrigin } from '../resolve/backend-origin.ts';
import type { Resource } from '../resolve/inventory.ts';
import { readAnnotations } from './workload-metadata.ts';

/** A rule refuses every other value than `enabled` and `disabled`. */
export function wantsPinnedTools(gateway: Resource): boolean {
  return (readAnnotations(gateway)[PINNED_TOOLS_ANNOTATION] ?? 'disabled') !== 'disabled';
}

/** The plan member with the digests; without an entry in the lock nothing of the backend is shown. */
export function lowerPinnedTools(
  catalog: Catalog | undefined,
  origin: BackendOrigin | undefined,
): Required<Pick<BackendPlan, 'pinned'>> {
  const tools = (origin && catalog?.backend(origin.key)?.tools) ?? [];
  // A definition without a digest is a mistake in the lock, and prevents the bundle.
  const digests = tools.map(tool => [tool.name as string, computeItemDigest(tool) ?? ''] as const);
  return { pinned: { tools: Object.fromEntries(digests.sort(([a], [b]) => compareText(a, b))) } };
}
