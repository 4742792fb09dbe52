/** The backend's own name of the item that clients call `name`; undefined for a name without the backend's prefix. */
export function stripPrefix(name: string, { prefix }: { readonly prefix: string }): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}
