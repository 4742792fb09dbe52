/** The formats of `lintel diff` by name, in the order in which the help lists them. */
import { renderDifferenceHtml } from './html.ts';
import { renderDifferenceJson } from './json.ts';
import { renderDifferenceMarkdown } from './markdown.ts';
import { renderDifferencePretty } from './pretty.ts';
import type { DifferenceRenderer } from './rendering.ts';

export const DIFFERENCE_RENDERERS = {
  pretty: renderDifferencePretty,
  markdown: renderDifferenceMarkdown,
  json: renderDifferenceJson,
  html: renderDifferenceHtml,
} as const satisfies { readonly [format: string]: DifferenceRenderer };

export type DifferenceFormat = keyof typeof DIFFERENCE_RENDERERS;

export const DIFFERENCE_FORMATS: readonly DifferenceFormat[] = Object.keys(DIFFERENCE_RENDERERS) as DifferenceFormat[];
