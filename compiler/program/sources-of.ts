import { stringify } from 'yaml';
import { readText } from '../source/read-text.ts';
import type { SourceDocument } from '../source/source-document.ts';
import { SourceText } from '../source/source-text.ts';
import type { SynthesizedProgram } from './synthesized.ts';

/** The objects of a program as documents of the YAML that stands for each of its charts. */
export function sourcesOf({ entry, charts }: SynthesizedProgram): {
  readonly documents: readonly SourceDocument[];
  readonly texts: ReadonlyMap<string, SourceText>;
} {
  const texts = charts.map(({ constructPath, objects }) => {
    const name = constructPath === '' ? 'app' : constructPath.replaceAll('/', '-');
    const text = objects.map(({ value }) => stringify(value, { aliasDuplicateObjects: false })).join('---\n');
    return new SourceText(`${entry}!${name}.yaml`, text);
  });
  return {
    documents: texts.flatMap(text => readText(text).documents),
    texts: new Map(texts.map(text => [text.file, text])),
  };
}
