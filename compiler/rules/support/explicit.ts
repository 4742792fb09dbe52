import type { Resource } from '../../resolve/inventory.ts';
import type { Path } from '../../source/source-document.ts';

/** The value at a path (which starts with `spec`) as it was written: undefined where a default stands in. */
export function findExplicitValue(resource: Resource, path: Path): unknown {
  return path.slice(1).reduce<unknown>((value, step) => {
    const holder = value as Record<string | number, unknown> | null | undefined;
    return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step) ? holder[step] : undefined;
  }, resource.written);
}

/** Was something written at the path? An explicit null asks for nothing. */
export function isExplicit(resource: Resource, path: Path): boolean {
  const value = findExplicitValue(resource, path);
  return value !== undefined && value !== null;
}
