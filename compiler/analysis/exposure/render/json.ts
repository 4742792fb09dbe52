import { formatJson } from '../../../diagnostics/render/json-text.ts';
import { EXPOSURE_FORMAT_VERSION } from '../exposure.ts';
import type { ExposureRenderer } from './rendering.ts';

/** The data itself; each member of `gateways` and `registries` is what a build writes next to the bundle. */
export const renderJson: ExposureRenderer = ({ gateways, registries }) =>
  formatJson({ formatVersion: EXPOSURE_FORMAT_VERSION, gateways, registries });
