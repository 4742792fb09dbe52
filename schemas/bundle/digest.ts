import { createHash } from 'node:crypto';

/** `sha256:` and the SHA-256 of the bytes as lower-case hexadecimal digits. A string is encoded as UTF-8. */
export function computeDigest(bytes: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The directory name of a digest: `sha256-…`, because a colon is not portable in file names. */
export function toDigestDirectory(digest: string): string {
  return digest.replace(':', '-');
}
