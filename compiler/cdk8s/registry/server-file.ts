import { MOUNT_ROOT } from '#schemas';
import type { RenderedPart } from '../rendered.ts';
import { isInstanceNamed, noteClass } from '../shared.ts';
import type { CaBundle } from '../values/ca-bundle.ts';
import type { AbsolutePath } from '../values/path.ts';
import { SecretKey } from '../values/secret.ts';

/** A file next to the running server, at a path that the program gives. Created only by {@link ServerFile.at}. */
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

  /** @example ServerFile.at('/etc/lintel/registry/client-secret'); */
  static at(path: AbsolutePath): ServerFile {
    return new ServerFile(path);
  }

  get path(): AbsolutePath {
    return this.#path;
  }
}

/** A secret of a registry server: a Secret in its namespace, or a file that the operator provides. */
export type SecretFile = SecretKey | ServerFile;

/** Certificate authorities of a registry server: a ConfigMap in its namespace, or a file that the operator provides. */
export type CaFile = CaBundle | ServerFile;

/** Gives the path at which the server finds a file. */
export type ToPath = (file: SecretFile | CaFile) => string;

/** A part that is rendered once the paths of files are known. */
export interface RegistryPart {
  render(toPath: ToPath): RenderedPart;
}

/** The path of a file outside of a cluster. */
export const ownPath: ToPath = file => {
  if (file instanceof ServerFile) return file.path;
  const kind = file instanceof SecretKey ? 'Secret' : 'ConfigMap';
  throw new Error(
    `the ${kind} "${file.name}" is in a cluster, and a RegistryFile is for a server outside of one: give its path with ServerFile.at, or use Registry`,
  );
};

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly items: readonly MountedKey[] };
  readonly configMap?: { readonly name: string; readonly items: readonly MountedKey[] };
}

interface MountedKey {
  readonly key: string;
  readonly path: string;
}

/** Collects what a pod has to mount: each Secret and ConfigMap once, with only the keys that are used. */
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

/** The name of a volume. It has a number, because a Secret's name may contain dots and be longer than a volume's. */
function volumeName(index: number): string {
  return `registry-files-${index}`;
}
