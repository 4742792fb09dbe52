/**
 * The extension for VS Code as a `.vsix`, with a copy of `lintel` for projects that have none. `@vscode/vsce` would need 138 packages, would
 * write different bytes each time, and would choose the files itself. The format is simple: a zip archive with two XML files.
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { collectNotices } from '../notices.ts';
import { type ArchiveFiles, createZip } from './zip.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'editors/vscode');

/** Files of the package that `lintel lsp` loads, and the pages that it links to. */
const SERVER_FILES = [
  'package.json',
  'dist/lintel.js',
  'dist/lintel-commands.js',
  'dist/language-server.cjs',
  'dist/cedar-wasm/*',
  'dist/THIRD-PARTY-NOTICES.txt',
  'compiler/diagnostics/codes/*.md',
  'schemas/generated/REFERENCE.md',
];

interface Manifest {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly publisher: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly extensionKind: readonly string[];
  readonly engines: { readonly vscode: string };
  readonly devDependencies?: unknown;
  readonly type?: unknown;
}

export interface Vsix {
  readonly file: string;
  readonly size: number;
  readonly files: ArchiveFiles;
  /** Folders of the packages bundled into the extension itself, relative to the root of the repository. */
  readonly packages: readonly string[];
}

/**
 * Writes the extension into a folder, which is created if it is missing.
 *
 * @throws Error when `dist/` was not built
 */
export async function makeVsix(destination: string): Promise<Vsix> {
  const [{ version }, source]: [{ version: string }, Manifest] = await Promise.all(
    [join(ROOT, 'package.json'), join(SOURCE, 'package.json')].map(async file =>
      JSON.parse(await readFile(file, 'utf8')),
    ) as [Promise<{ version: string }>, Promise<Manifest>],
  );
  const { devDependencies: _, type: __, ...others } = source;
  const manifest: Manifest = { ...others, version };
  const read = async (file: string) => await readFile(file);
  const own = await bundled();
  const inside = new Map<string, Uint8Array>([
    ['package.json', Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)],
    ...own.files,
    ['README.md', await read(join(SOURCE, 'README.md'))],
    ['CHANGELOG.md', await read(join(ROOT, 'CHANGELOG.md'))],
    ['LICENSE.txt', await read(join(ROOT, 'LICENSE'))],
  ]);
  for (const pattern of SERVER_FILES) {
    const found = globSync(pattern, { cwd: ROOT }).sort();
    if (found.length === 0) throw new Error(`no file is ${pattern}: run \`npm run build\``);
    for (const path of found) inside.set(`server/${path}`, await read(join(ROOT, path)));
  }
  const files = new Map<string, Uint8Array>([
    ['extension.vsixmanifest', Buffer.from(vsixManifest(manifest))],
    ['[Content_Types].xml', Buffer.from(contentTypes([...inside.keys()]))],
    ...[...inside].map(([path, content]) => [`extension/${path}`, content] as const),
  ]);
  const archive = createZip(files);
  const file = resolve(destination, `lintel-${version}.vsix`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, archive);
  return { file, size: archive.length, files, packages: own.packages };
}

/** Bundles the extension into one file, without `vscode`, which VS Code provides; with the licences of the bundled packages. */
async function bundled(): Promise<Pick<Vsix, 'files' | 'packages'>> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(SOURCE, 'extension.ts')],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    minify: true,
    legalComments: 'none',
    absWorkingDir: ROOT,
  });
  const folders = Object.keys(metafile.inputs).flatMap(
    input => /.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? [],
  );
  const packages = [...new Set(folders)].sort();
  const read = packages.map(async folder => ({
    folder: join(ROOT, folder),
    manifest: JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')),
  }));
  const notices = await collectNotices(await Promise.all(read));
  const files = new Map([
    ...outputFiles.map(({ contents }) => ['extension.cjs', contents] as const),
    ['THIRD-PARTY-NOTICES.txt', Buffer.from(notices)] as const,
  ]);
  return { files, packages };
}

/**
 * The manifest that galleries and VS Code's extension view read.
 * @see https://github.com/microsoft/vscode-vsce
 */
function vsixManifest(manifest: Manifest): string {
  const { name, displayName, version, publisher, description, categories, keywords, extensionKind, engines } = manifest;
  const property = (id: string, value: string) =>
    `      <Property Id="Microsoft.VisualStudio.Code.${id}" Value="${escaped(value)}" />`;
  const asset = (type: string, path: string) =>
    `    <Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${path}" Addressable="true" />`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(name)}" Version="${escaped(version)}" Publisher="${escaped(publisher)}" />
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(','))}</Tags>
    <Categories>${escaped(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${property('Engine', engines.vscode)}
${property('ExtensionDependencies', '')}
${property('ExtensionPack', '')}
${property('ExtensionKind', extensionKind.join(','))}
${property('LocalizedLanguages', '')}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
${asset('Code.Manifest', 'package.json')}
${asset('Services.Content.Details', 'README.md')}
${asset('Services.Content.Changelog', 'CHANGELOG.md')}
${asset('Services.Content.License', 'LICENSE.txt')}
  </Assets>
</PackageManifest>
`;
}

const TYPES: Readonly<Record<string, string>> = {
  cjs: 'application/javascript',
  js: 'application/javascript',
  json: 'application/json',
  md: 'text/markdown',
  txt: 'text/plain',
  vsixmanifest: 'text/xml',
  wasm: 'application/wasm',
};

/** The media type of each file extension, as the Open Packaging Conventions (ECMA-376 part 2) require. */
function contentTypes(paths: readonly string[]): string {
  const endings = new Set(['vsixmanifest', ...paths.map(path => path.slice(path.lastIndexOf('.') + 1))]);
  const types = [...endings].sort().map(ending => {
    const type = TYPES[ending];
    if (type === undefined) throw new Error(`no media type is known for files that end in .${ending}`);
    return `  <Default Extension=".${ending}" ContentType="${type}" />`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${types.join('\n')}
</Types>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
