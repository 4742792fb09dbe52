import type { ExposureDifference } from '../difference.ts';

export interface DifferenceRendering {
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** The longest document, in characters, where a format has an end. Default 60,000. */
  readonly maxCharacters?: number;
  /** A sentence for each gateway, registry server or path that was not compared, or not in full: there may be differences. */
  readonly notCompared?: readonly string[];
}

/** A whole document. The same differences give the same bytes. */
export type DifferenceRenderer = (differences: readonly ExposureDifference[], rendering: DifferenceRendering) => string;
