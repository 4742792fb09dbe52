import { readFile, stat } from 'node:fs/promises';
import { describeFileError } from '#shared/util';
import { BundleError } from './bundle-error.ts';

/** Maximum size of a file; a larger file is refused before it is parsed. Bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The content of a file, or the decompressed content of its compressed form.
 * @throws BundleError
 */
export async function readWhole(file: string): Promise<Buffer> {
  const info = await stat(file).catch(() => undefined);
  if (info === undefined) return readCompressedForm(file);
  if (info.size > MAX_BYTES) {
    throw new BundleError(file, `${info.size} bytes are more than the ${MAX_BYTES} a bundle may have`);
  }
  try {
    return await readFile(file);
  } catch (error) {
    throw new BundleError(file, `cannot be read: ${describeFileError(error)}`);
  }
}

async function readCompressedForm(file: string): Promise<Buffer> {
  // Compression is rare, so the plain file is tried first.
  const { readCompressed } = await import('./compressed-file.ts');
  const bytes = await readCompressed(file, MAX_BYTES).catch((error: Error) => {
    throw new BundleError(file, error.message);
  });
  if (bytes === undefined) throw new BundleError(file, 'no such file');
  return bytes;
}

/**
 * Parses a JSON object, without a check of its members.
 * @throws BundleError
 */
export function parseObject<T>(file: string, bytes: Buffer): T {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (/\.ya?ml$/.test(file)) throw new BundleError(file, 'is a spec, not a bundle; `lintel serve` serves specs');
    throw new BundleError(file, `is not JSON: ${(error as Error).message}; build it again`);
  }
  if (typeof value !== 'object' || value === null) throw new BundleError(file, 'is not a JSON object');
  return value as T;
}
