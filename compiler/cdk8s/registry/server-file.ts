import { MOUNT_ROOT } from '#schemas';
import type { RenderedPart } from '../rendered.ts';
import { isInstanceNamed, noteClass } from '../shared.ts';
import type { CaBundle } from '../values/ca-bundle.ts';
import type { AbsolutePath } from '../values/path.ts';
import { SecretKey } from '../values/secret.ts';

/** A file that is next to the running server, by a path of one's own. Made by {@link ServerFile.at} alone. */
export class ServerFile {
  readonly #path: AbsolutePath;

  private constructor(path: AbsolutePath) {
    this.#path = path;
    noteClass(this, 'ServerFile');
  }

  /** Recognizes instances of any copy of this module. */
  static [Symbol.hasInstance](value: unknown): value is ServerFile {
    return isInstanceNamed(value, 'ServerFile');
  }

  /**
   * @example
   * ServerFile.at('/etc/lintel/registry/client-secret');
   */
  static at(path: AbsolutePath): ServerFile {
    return new ServerFile(path);
  }

  get path(): AbsolutePath {
    return this.#path;
  }
}

/** A secret that a registry server reads: a Secret of its namespace, or a file that the operator puts next to it. */
export type SecretFile = SecretKey | ServerFile;

/** Authorities that a registry server reads: a ConfigMap of its namespace, or a file that the operator puts next to it. */
export type CaFile = CaBundle | ServerFile;

/** Says at which path the server finds a file. */
export type ToPath = (file: SecretFile | CaFile) => string;

/** What is written once it is known where files are. */
export interface RegistryPart {
  render(toPath: ToPath): RenderedPart;
}

/** Where files stay that are not of a cluster. */
export const ownPath: ToPath = file => {
  if (file instanceof ServerFile) return file.path;
  const kind = file instanceof SecretKey ? 'Secret' : 'ConfigMap';
  throw new Error(
    `the ${kind} "${file.name}" is in a cluster, and a RegistryFile is for a server outside of one: give its path with ServerFile.at, or use Registry`,
  );
};

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly items: readonly Item[] };
  readonly configMap?: { readonly name: string; readonly items: readonly Item[] };
}

interface Item {
  readonly key: string;
  readonly path: string;
}

/** Gathers what a pod has to mount, each Secret and each ConfigMap once, with no keys but those that are read. */
export class MountedFiles {
  readonly #keys = new Map<string, { readonly of: SecretKey | CaBundle; readonly keys: Set<string> }>();

  readonly toPath: ToPath = file => {
    if (file instanceof ServerFile) return file.path;
    const folder = getFolder(file);
    const holder = this.#keys.get(folder) ?? { of: file, keys: new Set() };
    this.#keys.set(folder, holder);
    holder.keys.add(file.key);
    return `${folder}/${file.key}`;
  };

  get volumes(): readonly Volume[] {
    return this.#sorted().map(([, { of, keys }], index) => {
      const items = [...keys].sort().map(key => ({ key, path: key }));
      const name = volumeName(index);
      return of instanceof SecretKey
        ? { name, secret: { secretName: of.name, items } }
        : { name, configMap: { name: of.name, items } };
    });
  }

  get volumeMounts(): readonly { readonly name: string; readonly mountPath: string; readonly readOnly: true }[] {
    return this.#sorted().map(([folder], index) => ({ name: volumeName(index), mountPath: folder, readOnly: true }));
  }

  #sorted() {
    return [...this.#keys].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

function getFolder(file: SecretKey | CaBundle): string {
  return `${MOUNT_ROOT}/${file instanceof SecretKey ? 'secrets' : 'ca-bundles'}/${file.name}`;
}

/** By number: the name of a Secret may hold dots and be longer than that of a volume. */
function volumeName(index: number): string {
  return `registry-files-${index}`;
}
