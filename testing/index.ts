/** The public face of `lintel/testing`: expectations about what a chart exposes, for vitest, jest or any other runner. */
export { type Arguments, CallerExposure, type Claims, ExposureError } from './caller-exposure.ts';
export type { AppLike, ChartLike, CompileSettings, Synthesizable } from './compiled-chart.ts';
export { type ExposureSettings, exposureOf, type GatewayExposure } from './exposure-of.ts';
