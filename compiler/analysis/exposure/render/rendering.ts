import type { Exposure } from '../exposure.ts';
import type { RegistryExposure } from '../registry/registry-exposure.ts';

/** The content of a report; each list sorted by namespace and name. */
export interface ExposureReport {
  readonly gateways: readonly Exposure[];
  readonly registries: readonly RegistryExposure[];
}

export interface Terminal {
  /** Whether escape sequences for color are written. */
  readonly color: boolean;
  /** Width at which long lines wrap, in columns. Undefined: every item stays on one line. */
  readonly width?: number;
}

/** Renders a whole document that ends with a line break. The same exposures give the same bytes. */
export type ExposureRenderer = (report: ExposureReport, terminal: Terminal) => string;
