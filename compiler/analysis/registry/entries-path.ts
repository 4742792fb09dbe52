import { posix } from 'node:path';
import type { RegistrySource } from '#schemas';

/** The path of a source that is read at compile time: a relative one. An absolute path is a file next to the running server. */
export function findPathToBundle({ file }: Pick<RegistrySource, 'file'>): string | undefined {
  const path = file?.path;
  return path === undefined || posix.isAbsolute(path) ? undefined : path;
}

/**
 * The name by which a file of entries is known: in the form of other displayed files, relative to the folder of its configuration.
 *
 * @param configFile as shown
 */
export function resolveEntriesFile(configFile: string, path: string): string {
  return posix.join(posix.dirname(configFile), path);
}
