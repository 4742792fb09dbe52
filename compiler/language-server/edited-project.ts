import { resolve } from 'node:path';
import { compareText } from '#schemas';
import type { Exposure } from '../analysis/exposure/exposure.ts';
import type { Compilation } from '../compile/compilation.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createCompiler } from '../incremental/index.ts';
import type { Project } from '../lint/index.ts';
import { compileRead, findSources, formatPath, isSource, loadProject } from '../project/index.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import { type DecodedFile, decode } from '../source/decode.ts';
import type { FoundFile, FoundFiles } from '../source/find-files.ts';
import { isProgram } from '../source/is-program.ts';
import { decodeFile, type Sources } from '../source/read-sources.ts';
import type { SourceText } from '../source/source-text.ts';
import { type GatewayNames, listGatewayNames } from './tool-names.ts';

/** Open texts by absolute path; they take precedence over files. */
export type OpenTexts = ReadonlyMap<string, string>;

/** The latest compilation of a project. */
export interface CompiledProject {
  readonly project: Project;
  readonly sources: Sources;
  readonly compilation: Compilation;
  /** Finds a text by its displayed name. The configuration and the tool lock are included. */
  findText(file: string): SourceText | undefined;
}

interface Files {
  readonly project: Project;
  readonly paths: readonly string[];
  readonly found: FoundFiles;
  readonly decoded: ReadonlyMap<string, DecodedFile>;
}

/**
 * A project that a person edits. A change in the editor recompiles what depends on it; files are read again when the client reports a change.
 */
export class EditedProject {
  /** The absolute path of the folder of `lintel.yaml`, or of the folder that the editor opened. */
  readonly folder: string;
  readonly #compiler = createCompiler();
  readonly #open: OpenTexts;
  #files: Files | undefined;
  /** Open texts by displayed name. An unchanged text stays the same object, so that the compiler can reuse its results. */
  #decodedOpen = new Map<string, { readonly text: string; readonly result: DecodedFile }>();
  readonly #names = new Map<string, GatewayNames>();
  readonly #exposures = new WeakMap<CompiledGateway, Exposure>();
  #last: CompiledProject | undefined;
  #isStale = true;

  constructor(folder: string, open: OpenTexts) {
    this.folder = folder;
    this.#open = open;
  }

  /** Records that an open text changed. */
  edited(): void {
    this.#isStale = true;
  }

  /** Records that files changed, appeared or disappeared. */
  noteFileChanges(): void {
    this.#files = undefined;
    this.#isStale = true;
  }

  /**
   * Compiles the current state.
   * @throws UsageError and ConfigurationError as `loadProject` and `findSources`
   */
  getCompiled(): CompiledProject {
    if (this.#last !== undefined && !this.#isStale) return this.#last;
    this.#files ??= this.#readFiles();
    const files = this.#files;
    const { project, paths, found } = files;
    const decoded = this.#withOpen(files);
    const texts = decoded.flatMap(file => ('source' in file ? [file.source] : []));
    const unreadable = decoded.flatMap(file => ('diagnostic' in file ? [file.diagnostic] : []));
    const read = this.#compiler.readTexts(texts);
    const named = found.files.filter(({ isNamed }) => isNamed === true).map(({ path }) => path);
    const specs = { ...read, named: new Set(named) };
    const { sources, compilation } = compileRead(specs, [...found.diagnostics, ...unreadable], paths, project, {
      cwd: this.folder,
      purpose: 'check',
      sourceRevision: null,
      compiler: this.#compiler,
    });
    const own = new Map(project.texts.map(text => [text.file, text]));
    this.#last = { project, sources, compilation, findText: file => sources.texts.get(file) ?? own.get(file) };
    this.#isStale = false;
    return this.#last;
  }

  /** The path of a file as findings show it. */
  toShownPath(toAbsolutePath: string): string {
    return formatPath(toAbsolutePath, this.folder);
  }

  toAbsolutePath(toShownPath: string): string {
    return resolve(this.folder, toShownPath);
  }

  /** The findings that are certain here: the language server runs no program, so the objects of programs are unknown. */
  listFindings(): readonly Diagnostic[] {
    const { diagnostics } = this.getCompiled().compilation.findings;
    const hasPrograms = this.#files?.found.files.some(({ path }) => isProgram(path)) === true;
    return hasPrograms ? diagnostics.filter(({ code }) => !code.startsWith('LNT2')) : diagnostics;
  }

  /** Finds an exposure by the name that exposures show. Undefined for an unknown gateway or server, and for one with errors. */
  findExposure({ namespace, name }: { readonly namespace: string; readonly name: string }): Exposure | undefined {
    const { gateways, servers } = this.getCompiled().compilation;
    const gateway =
      gateways.find(({ object }) => object.namespace === namespace && object.name === name) ??
      servers.find(({ object }) => object.namespace === namespace && getExposedName(object) === name);
    if (gateway === undefined) return undefined;
    const known = this.#exposures.get(gateway) ?? gateway.exposure();
    if (known === null) return undefined;
    this.#exposures.set(gateway, known);
    return known;
  }

  /** The names in a gateway as of its last valid state: while a person types, the specs are usually invalid. */
  listGatewayNames({
    namespace,
    name,
  }: {
    readonly namespace: string;
    readonly name: string;
  }): GatewayNames | undefined {
    const gateway = this.getCompiled().compilation.gateways.find(
      ({ object }) => object.namespace === namespace && object.name === name,
    );
    const key = `${namespace}/${name}`;
    const names = gateway && listGatewayNames(gateway);
    if (names !== undefined) this.#names.set(key, names);
    return this.#names.get(key);
  }

  /** Records the names in gateways of open files. */
  noteNames(): void {
    const files = new Set([...this.#open.keys()].map(toAbsolutePath => this.toShownPath(toAbsolutePath)));
    for (const { kind, doc, object } of this.getCompiled().compilation.objects)
      if (kind === 'VirtualMCPServer' && files.has(doc.file)) this.listGatewayNames(object);
  }

  #readFiles(): Files {
    const project = loadProject(undefined, this.folder);
    const paths = project.sources === undefined ? ['.'] : [];
    const found = findSources(paths, project, this.folder);
    const texts = found.files.filter(({ path }) => !isProgram(path));
    const decoded = new Map(texts.map(file => [file.absolute ?? '', decodeFile(file, () => new Uint8Array())]));
    return { project, paths, found, decoded };
  }

  /** The files of the project in the order in which commands read them, with the open texts in place of files. */
  #withOpen({ project, paths, found, decoded }: Files): readonly DecodedFile[] {
    const isNew = (toAbsolutePath: string) =>
      !decoded.has(toAbsolutePath) && isSource(toAbsolutePath, paths, project, this.folder);
    const files = [
      ...found.files.filter(({ absolute }) => decoded.has(absolute ?? '')),
      ...[...this.#open.keys()]
        .filter(isNew)
        .map((toAbsolutePath): FoundFile => ({ path: this.toShownPath(toAbsolutePath), absolute: toAbsolutePath })),
    ].sort((a, b) => compareText(a.path, b.path));
    const before = this.#decodedOpen;
    this.#decodedOpen = new Map();
    return files.map(({ path, absolute }) => {
      const text = this.#open.get(absolute ?? '');
      if (text === undefined) return decoded.get(absolute ?? '') as DecodedFile;
      const known = before.get(path);
      const result = known?.text === text ? known.result : decode(path, Buffer.from(text));
      this.#decodedOpen.set(path, { text, result });
      return result;
    });
  }
}
