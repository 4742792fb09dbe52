/** Derives object names from server names. */
import { toDnsLabel } from '#schemas';

/** Maximum length: the name becomes part of names of tools, headers and variables with their own limits. */
const MAX_NAME = 40;

/**
 * A valid name for Kubernetes objects and Services: lower-case letters, digits and hyphens.
 * @param otherwise the name for a text without any valid character
 */
export function toObjectName(text: string, otherwise: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? otherwise : toDnsLabel(plain, MAX_NAME);
}

/** The name, or the first free one with a number. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const next = `${name}-${number}`;
    if (!taken.has(next)) return next;
  }
}
