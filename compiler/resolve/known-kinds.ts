import { KINDS } from '../source/kinds.ts';
import { REGISTRY_CONFIG_KIND } from '../source/registry-config.ts';

const OTHERS: readonly string[] = ['Secret', 'ConfigMap', REGISTRY_CONFIG_KIND];

/** Is it a kind of documents that this version reads? */
export function isKnownKind(kind: string): boolean {
  return KINDS.has(kind) || OTHERS.includes(kind);
}
