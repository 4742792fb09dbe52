/** Relative addresses within the site, so that it works in any folder, on a server or on a disk. */
import { posix } from 'node:path';

/** @param from the page that has the link; `to`: the target; both relative to the root of the site */
export function relativeTo(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.split('/').map(encodeURIComponent).join('/');
}
