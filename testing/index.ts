/**
 * The public interface of `lintel/testing`: expectations about what a chart exposes, and dry runs of its workflows, for vitest, jest or any
 * other test runner.
 */
export { type Arguments, CallerExposure, type Claims, ExposureError, type NamedTool } from './caller-exposure.ts';
export type { ExposureSettings } from './chosen-model.ts';
export { compileExposure, type GatewayExposure } from './compile-exposure.ts';
export type { AppLike, ChartLike, CompileSettings, Synthesizable } from './compiled-chart.ts';
export { type Answer, type DryRun, type DryRunCall, type DryRunSettings, type DryRunStep, dryRun } from './dry-run.ts';
export { type Fake, type FakeSettings, failing, fake, type Signature, type ToolLike } from './fake.ts';
