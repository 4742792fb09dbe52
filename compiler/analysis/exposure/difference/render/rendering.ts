import type { ExposureDifference } from '../difference.ts';

export interface DifferenceRendering {
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** Maximum length of the document in characters, for formats that have one. Default 60,000. */
  readonly maxCharacters?: number;
  /** One sentence for each gateway, registry server or path that was not compared, or only in part: further differences are possible. */
  readonly notCompared?: readonly string[];
  /** The bundles that were compared. */
  readonly bundles?: readonly ComparedBundle[];
}

/** The digests of one gateway or registry server on both sides; null on a side that has no bundle. */
export interface ComparedBundle {
  readonly kind: ExposureDifference['kind'];
  readonly namespace: string;
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Renders a whole document. The same differences give the same bytes. */
export type DifferenceRenderer = (differences: readonly ExposureDifference[], rendering: DifferenceRendering) => string;
