/** Everything that the pages of the site are made from. */
import { join } from 'node:path';
import { CODES, type DiagnosticCode } from '../../compiler/diagnostics/codes.ts';
import { getCodePage } from '../../compiler/explain/site-pages.ts';
import { allFields, type Field, readFields } from './fields.ts';
import { REFERENCE, readSources, type SourcePage, type Sources } from './sources.ts';

export interface Site {
  readonly root: string;
  readonly sources: Sources;
  /** Kinds, and files with a schema. */
  readonly kinds: readonly Field[];
  readonly fields: readonly Field[];
  /** @param path in Eleventy's form, such as `./docs/access.md` */
  pageAt(path: string): SourcePage | undefined;
  /** The page about a name in a text: a code, or the whole path of a field. */
  pageNamed(text: string): string | undefined;
}

export function readSite(root: string): Site {
  const sources = readSources(root);
  const kinds = readFields();
  const fields = kinds.flatMap(allFields);
  const byPath = new Map(fields.map(field => [withoutItems(field.path), field.output]));
  return {
    root,
    sources,
    kinds,
    fields,
    pageAt: path => sources.pages.get(path.replace(/^\.\//, '')),
    pageNamed: text =>
      Object.hasOwn(CODES, text) ? getCodePage(text as DiagnosticCode) : byPath.get(withoutItems(text)),
  };
}

/** The Markdown files that Eleventy renders. The reference is replaced by generated pages. */
export function renderedPages({ sources }: Site): readonly SourcePage[] {
  return [...sources.pages.values()].filter(({ source }) => source !== REFERENCE);
}

function withoutItems(path: string): string {
  return path.replaceAll('[]', '').replaceAll('.*', '');
}

export const ROOT: string = join(import.meta.dirname, '../..');
