/**
 * The folders that files lie in. A path of two thousand bytes may have a thousand of them, so each is looked at once, and no more than are
 * wanted.
 *
 * @param limit more than these are not collected
 * @returns one more than the limit when there are more
 */
export function listFolders(paths: Iterable<string>, limit: number = Number.POSITIVE_INFINITY): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    // From below: what is above a known folder is known.
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
      if (folders.size > limit) return folders;
    }
  }
  return folders;
}
