import { posix } from 'node:path';
import type { RegistrySource } from '#schemas';

/**
 * The file of a source that is read while compiling: one with a relative path. An absolute path is a file next to the running
 * server.
 */
export function pathToBundle({ file }: Pick<RegistrySource, 'file'>): string | undefined {
  const path = file?.path;
  return path === undefined || posix.isAbsolute(path) ? undefined : path;
}

/**
 * The name by which a file of entries is known: as other files are shown, and relative to what its configuration is in.
 *
 * @param configFile as shown
 */
export function entriesFileName(configFile: string, path: string): string {
  return posix.join(posix.dirname(configFile), path);
}
