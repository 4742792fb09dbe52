/** Secrets of a cluster as files of a pod. */
import { MOUNT_ROOT, type SecretSource } from '#schemas';

/** One value of a Secret. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

const ROOT = `${MOUNT_ROOT}/secrets/`;

/**
 * Where a value of a Secret is read: the file that manifests mount it as, else a variable, with which a gateway runs
 * outside of a cluster.
 */
export function mountedSecret({ name, key }: SecretKey, env: string | null): SecretSource {
  return { env, file: `${ROOT}${name}/${key}` };
}

/** The Secret that a source is mounted from; null for a file or a variable that the spec itself names. */
export function secretMountedAt({ file }: SecretSource): SecretKey | null {
  if (file?.startsWith(ROOT) !== true) return null;
  // Neither a name nor a key of a Secret has a slash.
  const [name, key, ...more] = file.slice(ROOT.length).split('/');
  return name && key && more.length === 0 ? { name, key } : null;
}
