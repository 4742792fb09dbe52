import { EXPOSURE_FORMAT_VERSION } from '../exposure.ts';
import type { ExposureRenderer } from './rendering.ts';

/** The data itself; each member of `gateways` is what a build writes beside the bundle. */
export const renderJson: ExposureRenderer = exposures =>
  `${JSON.stringify({ formatVersion: EXPOSURE_FORMAT_VERSION, gateways: exposures }, null, 2)}\n`;
