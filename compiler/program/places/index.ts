/** From what a program synthesized to documents that know where each value was given. */
import { expandLists } from '../../source/expand-list.ts';
import type { SourceDocument } from '../../source/source-document.ts';
import type { SourceText } from '../../source/source-text.ts';
import type { SynthesizedProgram } from '../synthesized.ts';
import { BundleCalls } from './frames.ts';
import { GivenPlaces } from './given-places.ts';
import { Modules } from './modules.ts';
import { ProgramFiles } from './program-files.ts';
import { ChartText, SynthesizedDocument } from './synthesized-document.ts';

export interface ProgramSources {
  /** In the order of the charts and their objects. Their file is the YAML of their chart, which is on no disk. */
  readonly documents: readonly SourceDocument[];
  /** The program's own files by the name shown. */
  readonly texts: ReadonlyMap<string, SourceText>;
}

/**
 * The objects of a program as documents. Where values were given is worked out when a finding asks.
 *
 * @param textOf the text of a file by its absolute path; empty for one that cannot be read
 */
export function sourcesOf(program: SynthesizedProgram, textOf: (file: string) => SourceText): ProgramSources {
  const { entry, charts, inputs, sourceMap, imports } = program;
  const files = new ProgramFiles(textOf, inputs[0] ?? import.meta.url);
  const context = {
    files,
    calls: new BundleCalls(files, inputs, sourceMap),
    modules: new Modules(files, inputs, imports),
  };
  const documents = charts.flatMap(({ constructPath, objects }) => {
    const text = new ChartText(
      `${entry}!${constructPath === '' ? 'app' : constructPath.replaceAll('/', '-')}.yaml`,
      objects.map(({ value }) => value),
    );
    return objects.map(
      (object, index) => new SynthesizedDocument(text, index, object.value, new GivenPlaces(object, context)),
    );
  });
  const texts = new Map(inputs.map(textOf).map(source => [source.file, source]));
  return { documents: expandLists(documents).documents, texts };
}
