/** The formats of `lintel exposure` by name, in the order in which the help lists them. */
import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderPretty } from './pretty.ts';
import type { ExposureRenderer } from './rendering.ts';

export const EXPOSURE_RENDERERS = {
  pretty: renderPretty,
  json: renderJson,
  markdown: renderMarkdown,
  html: renderHtml,
} as const satisfies { readonly [format: string]: ExposureRenderer };

export type ExposureFormat = keyof typeof EXPOSURE_RENDERERS;

export const EXPOSURE_FORMATS: readonly ExposureFormat[] = Object.keys(EXPOSURE_RENDERERS) as ExposureFormat[];
