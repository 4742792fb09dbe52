/** Makes names of objects from names that people gave to servers. */
import { dnsLabel } from '#schemas';

/** Characters of a name: it becomes part of names of tools, headers and variables, which have limits of their own. */
const MAX_NAME = 40;

/**
 * A name as Kubernetes takes it for objects and Services: small letters, digits and hyphens.
 *
 * @param otherwise when nothing of the text can stand in a name
 */
export function toObjectName(text: string, otherwise: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? otherwise : dnsLabel(plain, MAX_NAME);
}

/** The same name, or the first with a number behind it that is not taken. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const next = `${name}-${number}`;
    if (!taken.has(next)) return next;
  }
}
