import { spawnSync } from 'node:child_process';

/** The tools that are missing for building images and how to install them; undefined when none is. */
export function findMissingTools(isOnDebian: boolean): string | undefined {
  const programs = ['buildah', ...(isOnDebian ? ['mmdebstrap'] : [])];
  const missing = programs.filter(program => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length > 0)
    return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed (apt-get install ${missing.join(' ')})`;
  // With --debian, chroot is needed to make a base image; otherwise buildah needs user namespaces.
  if (isOnDebian && process.getuid?.() !== 0) return '--debian needs root: sudo npm run images -- --debian';
  return undefined;
}
