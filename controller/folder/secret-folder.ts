/** A Secret without a cluster: a folder with one file per key, like a Secret mounted into a pod. */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeFileError } from '#shared/util';
import { ReconcileError } from '../reconcile/index.ts';
import { SECRET_KEYS, type SecretData } from '../source/index.ts';

/** Maximum size of a key or known_hosts list in bytes: that of a Secret. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads the files again for each connection, so that renewed credentials apply immediately.
 *
 * @param folder absolute
 * @throws ReconcileError, which names files and never their content
 */
export async function readSecretFolder(folder: string): Promise<SecretData> {
  const entries = await Promise.all(SECRET_KEYS.map(async key => [key, await readKey(join(folder, key))] as const));
  const data = Object.fromEntries(entries.flatMap(([key, text]) => (text === undefined ? [] : [[key, text] as const])));
  if (Object.keys(data).length > 0) return data;
  const info = await stat(folder).catch((error: unknown) => {
    throw createRefusedError(folder, describeFileError(error));
  });
  throw createRefusedError(
    folder,
    info.isDirectory()
      ? `the folder has none of the files ${SECRET_KEYS.join(', ')}`
      : `it is a file; give the folder that holds ${SECRET_KEYS.join(', ')} as files`,
  );
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    if (size > MAX_BYTES)
      throw createRefusedError(file, `${size} bytes are more than the ${MAX_BYTES} that a Secret may have`);
    return await handle.readFile('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error instanceof ReconcileError
      ? error
      : createRefusedError(file, `it cannot be read: ${describeFileError(error)}`);
  }
}

function createRefusedError(location: string, cause: string): ReconcileError {
  return new ReconcileError('AuthenticationFailed', 'stalled', `--git-secret: ${location}: ${cause}`);
}
