import { posix } from 'node:path';
import type { RegistrySource } from '#schemas';

/** The path of a source that is read at compile time: a relative one. An absolute path is a file next to the running server. */
export function findPathToBundle({ file }: Pick<RegistrySource, 'file'>): string | undefined {
  const path = file?.path;
  return path === undefined || posix.isAbsolute(path) ? undefined : path;
}

/**
 * The displayed name of a file of entries: its path relative to the folder of its configuration.
 *
 * @param configFile the displayed name of the configuration
 */
export function resolveEntriesFile(configFile: string, path: string): string {
  return posix.join(posix.dirname(configFile), path);
}
