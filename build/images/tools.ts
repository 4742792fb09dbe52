import { spawnSync } from 'node:child_process';

/** What this machine lacks for building images, and what to do; undefined where nothing is missing. */
export function findMissingTools(isOnDebian: boolean): string | undefined {
  const programs = ['buildah', ...(isOnDebian ? ['mmdebstrap'] : [])];
  const missing = programs.filter(program => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length > 0)
    return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed (apt-get install ${missing.join(' ')})`;
  // A base is made by chroot; without --debian buildah makes namespaces of its own.
  if (isOnDebian && process.getuid?.() !== 0) return '--debian needs root: sudo npm run images -- --debian';
  return undefined;
}
