/** Secrets and certificate authorities of a cluster as mounted files. */
import { MOUNT_ROOT, type SecretSource } from '#schemas';

/** One value of a Secret. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

const ROOT = `${MOUNT_ROOT}/secrets/`;

/** The source of a Secret's value: the file that manifests mount, or a variable for a gateway outside of a cluster. */
export function toMountedSecret({ name, key }: SecretKey, env: string | null): SecretSource {
  return { env, file: `${ROOT}${name}/${key}` };
}

/** The Secret that a source is mounted from; null for a file or variable that the spec itself names. */
export function findMountedSecret({ file }: SecretSource): SecretKey | null {
  if (file?.startsWith(ROOT) !== true) return null;
  // Names and keys of Secrets contain no slash.
  const [name, key, ...more] = file.slice(ROOT.length).split('/');
  return name && key && more.length === 0 ? { name, key } : null;
}

const CA_ROOT = `${MOUNT_ROOT}/ca-bundles/`;

/** The key of certificate authorities in a ConfigMap that manifests mount. */
export const CA_BUNDLE_KEY = 'ca.crt';

/** The ConfigMap whose `ca.crt` manifests mount as this file; null for a file that the spec itself provides. */
export function findMountedCaBundle(file: string): string | null {
  if (!file.startsWith(CA_ROOT)) return null;
  const [name, key, ...more] = file.slice(CA_ROOT.length).split('/');
  return name && key === CA_BUNDLE_KEY && more.length === 0 ? name : null;
}
