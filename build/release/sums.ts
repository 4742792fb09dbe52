/** Checksums as `sha256sum` writes and checks them. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** The SHA-256 digest of a file in hexadecimal digits. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** @param files digests by name */
export function formatSums(files: ReadonlyMap<string, string>): string {
  return [...files].map(([name, digest]) => `${digest}  ${name}\n`).join('');
}
