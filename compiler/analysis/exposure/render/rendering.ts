import type { Exposure } from '../exposure.ts';
import type { RegistryExposure } from '../registry/registry-exposure.ts';

/** What is shown; each list sorted by namespace and name. */
export interface ExposureReport {
  readonly gateways: readonly Exposure[];
  readonly registries: readonly RegistryExposure[];
}

export interface Terminal {
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** Columns to break long lines at. Undefined: every item stays on its line. */
  readonly width?: number;
}

/** A whole document with a line break at its end. The same exposures give the same bytes. */
export type ExposureRenderer = (report: ExposureReport, terminal: Terminal) => string;
