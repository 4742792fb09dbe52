import type { ExposureDifference } from '../difference.ts';

export interface DifferenceRendering {
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** Maximum length of the document in characters, for formats that have one. Default 60,000. */
  readonly maxCharacters?: number;
  /** One sentence for each gateway, registry server or path that was not compared, or only in part: further differences are possible. */
  readonly notCompared?: readonly string[];
}

/** Renders a whole document. The same differences give the same bytes. */
export type DifferenceRenderer = (differences: readonly ExposureDifference[], rendering: DifferenceRendering) => string;
