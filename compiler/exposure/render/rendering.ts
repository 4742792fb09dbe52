import type { Exposure } from '../exposure.ts';

export interface Terminal {
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** Columns to break long lines at. Undefined: every item stays on its line. */
  readonly width?: number;
}

/** A whole document with a line break at its end. The same exposures give the same bytes. */
export type ExposureRenderer = (exposures: readonly Exposure[], terminal: Terminal) => string;
