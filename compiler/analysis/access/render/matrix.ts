/** The formats of `lintel matrix` by name, in the order in which the help lists them. */
import type { MatrixFindings } from '../matrix.ts';
import { renderMatrixCsv } from './matrix-csv.ts';
import { renderMatrixJson } from './matrix-json.ts';
import { renderMatrixMarkdown } from './matrix-markdown.ts';
import { renderMatrixText } from './matrix-text.ts';

/** Renders a whole document. The same findings give the same bytes. */
export type MatrixRenderer = (
  personas: readonly string[],
  findings: readonly MatrixFindings[],
  terminal: { readonly color: boolean; readonly width?: number },
) => string;

export const MATRIX_RENDERERS = {
  text: renderMatrixText,
  json: renderMatrixJson,
  markdown: renderMatrixMarkdown,
  csv: renderMatrixCsv,
} as const satisfies { readonly [format: string]: MatrixRenderer };

export type MatrixFormat = keyof typeof MATRIX_RENDERERS;

export const MATRIX_FORMATS: readonly MatrixFormat[] = Object.keys(MATRIX_RENDERERS) as MatrixFormat[];
