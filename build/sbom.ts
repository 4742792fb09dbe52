/** The software bill of materials of what ships, in CycloneDX (ECMA-424) 1.6. */
import { createHash } from 'node:crypto';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';
import parseLicense from 'spdx-expression-parse';
import { listPackages, type Package, type ShippedFile } from './contents.ts';

const components = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory(parseLicense),
);

/** A file that people download, such as an archive. */
export interface ReleasedFile {
  readonly name: string;
  /** The digest of the file in hexadecimal digits. */
  readonly sha256: string;
  /** The names of the shipped files inside. */
  readonly files: readonly string[];
  /** Further packages inside the released file. */
  readonly packages: readonly Package[];
  /** The Node inside the released file. */
  readonly node?: { readonly version: string; readonly sha256: string };
}

/**
 * JSON in which Lintel depends on its files, and each file on the packages inside it. The same files give the same bytes: there is no
 * timestamp, and the serial number is a digest of the files.
 *
 * @param manifest the `package.json` of Lintel
 * @param released the files that people download, which depend on the files inside
 */
export function generateSbom(
  manifest: Package['manifest'],
  files: readonly ShippedFile[],
  released: readonly ReleasedFile[] = [],
): string {
  const lintel = component(manifest, Enums.ComponentType.Application);
  const packages = new Map(listPackages([...files, ...released]).map(entry => [entry.folder, createComponent(entry)]));
  const bom = new Models.Bom({
    serialNumber: serialNumber([...files, ...released]),
    metadata: new Models.Metadata({
      component: lintel,
      lifecycles: new Models.LifecycleRepository([Enums.LifecyclePhase.Build]),
    }),
    components: new Models.ComponentRepository(packages.values()),
  });
  const refs = new Map<string, Models.BomRef>();
  for (const shipped of files) {
    const file = fileComponent('file', shipped, packages);
    lintel.dependencies.add(file.bomRef);
    bom.components.add(file);
    refs.set(shipped.name, file.bomRef);
  }
  const nodes = new Map<string, Models.Component>();
  for (const releasedFile of released) {
    const file = fileComponent('release', releasedFile, packages);
    for (const inside of releasedFile.files) file.dependencies.add(refs.get(inside) as Models.BomRef);
    if (releasedFile.node !== undefined) {
      const node = nodes.get(releasedFile.node.sha256) ?? nodeComponent(releasedFile.node);
      nodes.set(releasedFile.node.sha256, node);
      file.dependencies.add(node.bomRef);
      bom.components.add(node);
    }
    lintel.dependencies.add(file.bomRef);
    bom.components.add(file);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  // Keeps insertion order: the library sorts by the locale of the machine.
  return `${serializer.serialize(bom, { sortLists: false, space: 2 })}\n`;
}

/** @param kind tells files with the same name apart */
function fileComponent(
  kind: string,
  shipped: ShippedFile,
  packages: ReadonlyMap<string, Models.Component>,
): Models.Component {
  const { name, sha256 } = shipped;
  const file = new Models.Component(Enums.ComponentType.File, name, {
    bomRef: `${kind}:${name}`,
    hashes: digest(sha256),
  });
  for (const { folder } of listPackages([shipped]))
    file.dependencies.add((packages.get(folder) as Models.Component).bomRef);
  return file;
}

function nodeComponent({ version, sha256 }: NonNullable<ReleasedFile['node']>): Models.Component {
  const purl = new PackageURL('generic', undefined, 'node', version, undefined, undefined).toString();
  return new Models.Component(Enums.ComponentType.Platform, 'node', {
    version,
    purl,
    bomRef: `${purl}#${sha256.slice(0, 12)}`,
    hashes: digest(sha256),
  });
}

function digest(sha256: string): Models.HashDictionary {
  return new Models.HashDictionary([[Enums.HashAlgorithm['SHA-256'], sha256]]);
}

function createComponent({ manifest, integrity }: Package): Models.Component {
  const made = component(manifest, Enums.ComponentType.Library);
  made.hashes.set(...Contrib.FromNodePackageJson.Utils.parsePackageIntegrity(integrity));
  return made;
}

function component(manifest: Package['manifest'], type: Enums.ComponentType): Models.Component {
  const made = components.makeComponent(manifest, type);
  if (made === undefined) throw new Error(`no name in the package.json of ${JSON.stringify(manifest)}`);
  made.purl = new PackageURL('npm', made.group, made.name, made.version, undefined, undefined).toString();
  made.bomRef.value = made.purl;
  // The Node version that npm requires is not a fact about the shipped files.
  made.properties.clear();
  return made;
}

/** A UUID of version 8 (RFC 9562), derived from the digests of the files. */
function serialNumber(files: readonly Pick<ShippedFile, 'name' | 'sha256'>[]): string {
  const digest = createHash('sha256').update(files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  const hex = digest.digest('hex');
  const variant = ((Number.parseInt(hex[16] as string, 16) & 0x3) | 0x8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
