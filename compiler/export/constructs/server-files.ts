/** The files that a registry server reads, as the program refers to them. */

import { isDeepStrictEqual } from 'node:util';
import { getMember, isObject } from '#schemas';
import { MountedFiles } from '../../cdk8s/registry/server-file.ts';
import { CaBundle } from '../../cdk8s/values/ca-bundle.ts';
import { Secret, type SecretKey } from '../../cdk8s/values/secret.ts';
import { type CallCode, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';

export interface ServerFiles {
  /** @param path an absolute path */
  code(path: string): CallCode;
}

/** Refers to every file by its path. */
export const PLAIN_FILES: ServerFiles = {
  code: path => call('ServerFile.at', plain(formatStringLiteral(path))),
};

/**
 * Refers to files by Secrets and certificate authorities instead of paths, if a pod mounts them in the way that `Registry` does. All other files stay
 * paths.
 */
export class ReferencedFiles implements ServerFiles {
  readonly #volumes: readonly unknown[];
  readonly #mounts: readonly unknown[];
  readonly #mounted = new MountedFiles();

  constructor(volumes: unknown, volumeMounts: unknown) {
    this.#volumes = Array.isArray(volumes) ? volumes : [];
    this.#mounts = Array.isArray(volumeMounts) ? volumeMounts : [];
  }

  code(path: string): CallCode {
    const known = this.#findKept(path);
    if (known === undefined) return PLAIN_FILES.code(path);
    this.#mounted.toPath(known);
    const callee = known instanceof CaBundle ? 'CaBundle.configMap' : 'Secret.key';
    return call(callee, plain(formatStringLiteral(known.name)), plain(formatStringLiteral(known.key)));
  }

  /** Volumes and mounts that `Registry` does not create itself; undefined when it would create others. */
  others(): { readonly volumes: readonly unknown[]; readonly volumeMounts: readonly unknown[] } | undefined {
    const { volumes, volumeMounts } = this.#mounted;
    const isSame =
      isDeepStrictEqual(this.#volumes.slice(0, volumes.length), volumes) &&
      isDeepStrictEqual(this.#mounts.slice(0, volumeMounts.length), volumeMounts);
    if (!isSame) return undefined;
    return { volumes: this.#volumes.slice(volumes.length), volumeMounts: this.#mounts.slice(volumeMounts.length) };
  }

  #findKept(path: string): SecretKey | CaBundle | undefined {
    const folder = path.replace(/\/[^/]*$/, '');
    const key = path.slice(folder.length + 1);
    const mount = this.#mounts.find(value => getMember(value, 'mountPath') === folder);
    const volume = this.#volumes.find(value => getMember(value, 'name') === getMember(mount, 'name'));
    if (!isObject(volume)) return undefined;
    try {
      const known =
        volume.secret === undefined
          ? CaBundle.configMap(`${getMember(volume.configMap, 'name') ?? ''}`, key)
          : Secret.key(`${getMember(volume.secret, 'secretName') ?? ''}`, key);
      return new MountedFiles().toPath(known) === path ? known : undefined;
    } catch {
      return undefined;
    }
  }
}
