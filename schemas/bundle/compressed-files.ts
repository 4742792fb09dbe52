/**
 * Files of a bundle that is too large for one object of a cluster: `bundle.json.gz` (RFC 1952) in place of `bundle.json`, or parts of it as
 * `bundle.json.gz.000`, `bundle.json.gz.001` and so on. Digests cover the uncompressed bytes.
 */

export function toCompressedPath(path: string): string {
  return `${path}.gz`;
}

/** @param part counts from 0 */
export function toPartPath(path: string, part: number): string {
  return `${toCompressedPath(path)}.${String(part).padStart(3, '0')}`;
}

/** The uncompressed file that a file name stands for; undefined for a name of any other file. */
export function toPlainPath(path: string): string | undefined {
  return /^(.+)\.gz(?:\.\d{3})?$/.exec(path)?.[1];
}

/** The number of parts that three digits can count. */
export const MAX_PARTS = 1_000;
