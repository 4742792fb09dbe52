import type { Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';

/** The value at a path (starting with `spec`) as written: undefined for a default. */
export function findExplicitValue(resource: Resource, path: Path): unknown {
  return path.slice(1).reduce<unknown>((value, step) => {
    const holder = value as Record<string | number, unknown> | null | undefined;
    return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step) ? holder[step] : undefined;
  }, resource.authored);
}

/** Whether the path has an explicit value; null counts as none. */
export function isExplicit(resource: Resource, path: Path): boolean {
  const value = findExplicitValue(resource, path);
  return value !== undefined && value !== null;
}
