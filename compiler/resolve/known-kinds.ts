import { KINDS } from '../source/kinds.ts';
import { REGISTRY_CONFIG_KIND } from '../source/registry-config.ts';

const OTHERS: readonly string[] = ['Secret', 'ConfigMap', REGISTRY_CONFIG_KIND];

/** Whether this version reads documents of the kind. */
export function isKnownKind(kind: string): boolean {
  return KINDS.has(kind) || OTHERS.includes(kind);
}
