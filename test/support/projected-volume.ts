/** A projected volume of ConfigMaps as a node writes it: files in a separate folder, behind links. */
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface ConfigMap {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

interface Source {
  readonly configMap: {
    readonly name: string;
    readonly items: readonly { readonly key: string; readonly path: string }[];
  };
}

/**
 * @param folder an existing folder, into which the volume is written
 * @param sources `projected.sources` of the volume
 * @param objects objects that include the volume's ConfigMaps
 */
export async function writeProjectedVolume(
  folder: string,
  sources: readonly unknown[],
  objects: readonly ConfigMap[],
): Promise<void> {
  const data = join(folder, `..${Date.now()}`);
  const links = new Set<string>();
  for (const { configMap } of sources as readonly Source[]) {
    const object = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMap.name);
    if (object === undefined) throw new Error(`no ConfigMap ${configMap.name}`);
    const texts = (object.data ?? {}) as Readonly<Record<string, string>>;
    const bytes = (object.binaryData ?? {}) as Readonly<Record<string, string>>;
    for (const { key, path } of configMap.items) {
      const content = texts[key] ?? (bytes[key] === undefined ? undefined : Buffer.from(bytes[key], 'base64'));
      if (content === undefined) throw new Error(`ConfigMap ${configMap.name} has no key ${key}`);
      await mkdir(dirname(join(data, path)), { recursive: true });
      await writeFile(join(data, path), content);
      links.add(path.split('/', 1)[0] ?? path);
    }
  }
  await symlink(data, join(folder, '..tmp'));
  await rename(join(folder, '..tmp'), join(folder, '..data'));
  for (const name of links) await symlink(join('..data', name), join(folder, name));
}
