/** From what a program synthesized to documents that know where each value was given. */
import { expandLists } from '../../source/expand-list.ts';
import type { Location, SourceDocument } from '../../source/source-document.ts';
import type { SourceText } from '../../source/source-text.ts';
import type { PartProvenance } from '../child/exchange.ts';
import type { SynthesizedProgram } from '../synthesized.ts';
import { BundleCalls } from './frames.ts';
import { CallSiteLocator, type ProgramContext } from './given-places.ts';
import { Modules } from './modules.ts';
import { ProgramFiles } from './program-files.ts';
import { RunLines } from './run-lines.ts';
import { ChartText, SynthesizedDocument } from './synthesized-document.ts';

export interface ProgramSources {
  /** In the order of the charts and their objects. Their file is the YAML of their chart, which is on no disk. */
  readonly documents: readonly SourceDocument[];
  /** The program's own files by the name shown. */
  readonly texts: ReadonlyMap<string, SourceText>;
  /** Whether a line of one of them, by the name shown and from 1 on, was run, as far as that is known. */
  readonly wasRun: (file: string, line: number) => boolean;
}

/**
 * The objects of a program as documents. Where values were given is worked out when a finding asks.
 *
 * @param getText the text of a file by its absolute path; empty for one that cannot be read
 */
export function toProgramSources(program: SynthesizedProgram, getText: (file: string) => SourceText): ProgramSources {
  const { entry, charts, inputs } = program;
  const context = createContext(program, getText);
  const documents = charts.flatMap(({ constructPath, objects }) => {
    const text = new ChartText(
      `${entry}!${constructPath === '' ? 'app' : constructPath.replaceAll('/', '-')}.yaml`,
      objects.map(({ value }) => value),
    );
    return objects.map(
      (object, index) => new SynthesizedDocument(text, index, object.value, new CallSiteLocator(object, context)),
    );
  });
  const paths = new Map(inputs.map(path => [getText(path).file, path]));
  const lines = new RunLines(context, charts);
  return {
    documents: expandLists(documents).documents,
    texts: new Map([...paths].map(([file, path]) => [file, getText(path)])),
    wasRun: (file, line) => {
      const path = paths.get(file);
      return path === undefined || lines.has(path, line);
    },
  };
}

/** Where a part was given of an object that came to nothing, from what its construct noted; undefined where that leads nowhere. */
export type LocatePart = (part: PartProvenance) => Location | undefined;

/** Files are looked into when the first part is asked for. */
export function partLocator(program: BundledProgram, getText: (file: string) => SourceText): LocatePart {
  let context: ProgramContext | undefined;
  return ({ pointer, at, ...noted }) => {
    context ??= createContext(program, getText);
    const path = pointer
      .split('/')
      .slice(1)
      .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return new CallSiteLocator({ value: undefined, ...noted }, context).locate(path, at);
  };
}

type BundledProgram = Pick<SynthesizedProgram, 'inputs' | 'sourceMap' | 'imports'>;

function createContext(
  { inputs, sourceMap, imports }: BundledProgram,
  getText: (file: string) => SourceText,
): ProgramContext {
  const files = new ProgramFiles(getText, inputs[0] ?? import.meta.url);
  return {
    files,
    calls: new BundleCalls(files, inputs, sourceMap),
    modules: new Modules(files, inputs, imports),
  };
}
