/** The leaves of a bundle, and the runtime features that they need: `test/pins/bundle-leaves.json` has an entry for each. */
import type { GatewayBundle, RegistryBundle } from '#schemas';
import table from '../pins/bundle-leaves.json' with { type: 'json' };

type Table = { readonly [feature: string]: readonly string[] };

const TABLES: { readonly [K in 'gateway' | 'registry']: Table } = table;

/** The leaves in the table, each with the features of which a runtime needs one; `*` stands for the rest of a name. */
export function leavesWithFeatures(kind: 'gateway' | 'registry'): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(TABLES[kind]).flatMap(([features, leaves]) =>
      leaves.map(leaf => [leaf, features.split(' | ')] as const),
    ),
  );
}

/** Leaves of the bundle for which it requires no feature, so that an older runtime would ignore them silently. */
export function leavesWithoutFeature(bundle: GatewayBundle | RegistryBundle): readonly string[] {
  const leaves = leavesWithFeatures(bundle.kind);
  return [...new Set(listLeaves(bundle, '', leaves))].filter(leaf => {
    const features = leaves.get(leaf) ?? [];
    return !bundle.requires.some(required => features.some(feature => fits(required, feature)));
  });
}

/** @param pattern of the value, such as `backends[].url` */
function listLeaves(value: unknown, pattern: string, leaves: ReadonlyMap<string, unknown>): readonly string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    if (!leaves.has(`${pattern}[#]`)) return [pattern];
    return value.flatMap(item => listLeaves(item, `${pattern}[]`, leaves));
  }
  if (typeof value !== 'object') return [pattern];
  const own = leaves.has(pattern) ? [pattern] : [];
  const below = [...leaves.keys()].filter(leaf => leaf.startsWith(pattern) && /^[.{]/.test(leaf.slice(pattern.length)));
  // Compared as one value, whatever it contains.
  if (pattern !== '' && below.length === 0) return [pattern];
  const isDictionary = below.some(leaf => leaf.startsWith(`${pattern}{}`));
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (isDictionary) return listLeaves(member, `${pattern}{}`, leaves);
    return listLeaves(member, pattern === '' ? name : `${pattern}.${name}`, leaves);
  });
  return [...own, ...members];
}

function fits(required: string, feature: string): boolean {
  return feature.endsWith('*') ? required.startsWith(feature.slice(0, -1)) : required === feature;
}
