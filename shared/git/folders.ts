/**
 * The parent folders of files. A path of two thousand bytes may have a thousand, so each is visited once, up to a limit.
 *
 * @param limit maximum number of folders
 * @returns one more than the limit when there are more
 */
export function listFolders(paths: Iterable<string>, limit: number = Number.POSITIVE_INFINITY): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    // Bottom-up: the parents of a known folder are known.
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
      if (folders.size > limit) return folders;
    }
  }
  return folders;
}
