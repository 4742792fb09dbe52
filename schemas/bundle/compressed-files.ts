/**
 * Files of a bundle where a single object of a cluster cannot hold them: `bundle.json.gz` (RFC 1952) in place of `bundle.json`,
 * or that cut into `bundle.json.gz.000`, `bundle.json.gz.001` and so on. Digests are those of the plain bytes.
 */

export function compressedPath(path: string): string {
  return `${path}.gz`;
}

/** @param part counts from 0 */
export function partPath(path: string, part: number): string {
  return `${compressedPath(path)}.${String(part).padStart(3, '0')}`;
}

/** The file that a name of one of its forms belongs to; undefined for a name that is none of a compressed file. */
export function plainPath(path: string): string | undefined {
  return /^(.+)\.gz(?:\.\d{3})?$/.exec(path)?.[1];
}

/** That the names have room for. */
export const MAX_PARTS = 1_000;
