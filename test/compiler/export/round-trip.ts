import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Catalog,
  type Compilation,
  compile,
  compileSources,
  compileTexts,
  findFiles,
  loadProject,
  readSources,
  readTexts,
  type Sources,
  SourceText,
} from '#compiler';
import { computeDigest, formatCanonicalJson } from '#schemas';
import { exportProgram } from '../../../compiler/export/index.ts';
import { createCatalog } from '../../support/gateway-rule.ts';
import { synthesize } from '../../support/synthesize.ts';

const ORIGIN = { compilerVersion: '0.0.0', sourceRevision: null };

export interface Trip {
  readonly program: string;
  readonly before: Compilation;
  readonly after: Compilation;
}

export const readFolder = (folder: string, path: string): Sources =>
  readSources(findFiles([path], { cwd: folder }).files, () => new Uint8Array());

export const compiled = (sources: Sources, catalog?: Catalog): Compilation =>
  compile(sources, { purpose: 'build', origin: ORIGIN, ...(catalog && { catalog }) });

/** Exports the YAML in a folder to a program in it, and the program back to YAML. */
export function roundTrip(sources: Sources, title: string, catalog?: Catalog, folder = 'input'): Trip {
  const { text: program } = exportProgram(sources, { title, folder });
  const again = readTexts(synthesize(program).map(({ file, text }) => new SourceText(join(folder, file), text)));
  // Configurations refer to files, which are read in addition to the specs.
  const texts = new Map([...sources.texts, ...again.texts]);
  return { program, before: compiled(sources, catalog), after: compiled({ ...again, texts }, catalog) };
}

/** What must not change: bundles, the errors that prevent them, and which callers reach what. */
export function compileMeaning({ gateways, servers, registries }: Compilation): unknown {
  return {
    gateways: [...gateways, ...servers].map(({ object: { kind, namespace, name }, bundle, backends, exposure }) => ({
      gateway: `${kind}/${namespace}/${name}`,
      bundle: bundle === null ? null : computeDigest(formatCanonicalJson(bundle)),
      backends: backends?.().map(({ plan }) => plan),
      exposure: exposure(),
    })),
    registries: registries.map(({ object: { namespace, name }, bundle, exposure, files }) => ({
      registry: `${namespace}/${name}`,
      bundle: bundle === null ? null : computeDigest(formatCanonicalJson(bundle)),
      files,
      exposure: exposure(),
    })),
  };
}

/** Findings by their subject, without locations. */
export function listFindings({ findings }: Compilation): string[] {
  return findings.diagnostics
    .map(({ code, object, message }) => `${code} ${object?.kind}/${object?.name} ${message}`)
    .sort();
}

/** Inputs of the golden tests of whole specs that have no errors. */
export function goldenInputs(): { readonly name: string; readonly sources: Sources; readonly catalog?: Catalog }[] {
  const cases = join(import.meta.dirname, '../goldens/cases');
  return readdirSync(cases)
    .sort()
    .map(name => {
      const folder = join(cases, name);
      const file = join(folder, 'catalog.json');
      const catalog = existsSync(file) ? createCatalog(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
      return { name, sources: readFolder(folder, 'input'), ...(catalog && { catalog }) };
    })
    .filter(
      ({ sources, catalog }) =>
        compile(sources, { purpose: 'check', origin: ORIGIN, ...(catalog && { catalog }) }).findings.counts.error === 0,
    );
}

/** Makes the round trip for a folder as `lintel build` reads it, with its configuration, tool lock and referenced files. */
export function folderRoundTrip(folder: string, path: string, title: string): Trip {
  const options = { cwd: folder, purpose: 'build', sourceRevision: null } as const;
  const project = loadProject(undefined, folder, [path]);
  const before = compileSources([path], project, options);
  const { text: program } = exportProgram(before.sources, { title });
  const texts = synthesize(program).map(({ file, text }) => new SourceText(file, text));
  return { program, before: before.compilation, after: compileTexts(texts, project, options).compilation };
}

export const sourcesOfText = (text: string): Sources => readTexts([new SourceText('spec.yaml', text)]);
