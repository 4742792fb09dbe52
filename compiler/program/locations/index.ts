/** Converts synthesized objects to documents that know the position of each value. */
import { expandLists } from '../../source/expand-list.ts';
import type { Location, SourceDocument } from '../../source/source-document.ts';
import type { SourceText } from '../../source/source-text.ts';
import type { PartProvenance } from '../child/exchange.ts';
import type { SynthesizedProgram } from '../synthesized.ts';
import { CallSiteLocator, type ProgramContext } from './call-site-locator.ts';
import { ExecutedLines } from './executed-lines.ts';
import { BundleCalls } from './frames.ts';
import { Modules } from './modules.ts';
import { ProgramFiles } from './program-files.ts';
import { ChartText, SynthesizedDocument } from './synthesized-document.ts';

export interface ProgramSources {
  /** The documents in the order of charts and objects. Their file is the chart's YAML, which does not exist on disk. */
  readonly documents: readonly SourceDocument[];
  /** The program's own files by displayed name. */
  readonly texts: ReadonlyMap<string, SourceText>;
  /** Whether a line of a file was executed, as far as known; by displayed name, lines from 1. */
  readonly wasRun: (file: string, line: number) => boolean;
}

/**
 * The objects of a program as documents. Positions of values are computed when a finding needs them.
 * @param getText the text of a file by its absolute path; empty for an unreadable one
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
  const lines = new ExecutedLines(context, charts);
  return {
    documents: expandLists(documents).documents,
    texts: new Map([...paths].map(([file, path]) => [file, getText(path)])),
    wasRun: (file, line) => {
      const path = paths.get(file);
      return path === undefined || lines.has(path, line);
    },
  };
}

/** The position of an invalid object's part, from the records of its construct; undefined when there is none. */
export type LocatePart = (part: PartProvenance) => Location | undefined;

/** Reads files when the first part is located. */
export function createPartLocator(program: BundledProgram, getText: (file: string) => SourceText): LocatePart {
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
