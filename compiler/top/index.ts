/** Reads the `/status` of a running gateway or registry server, and shows that of a gateway. */
export { type FrameOptions, renderFrame, type StatusSample } from './frame.ts';
export { type GatewayStatus, parseGatewayStatus } from './gateway-status.ts';
export { NoStatusError, readStatus, toStatusUrl } from './read-status.ts';
export { type RunningBundle, readRunningBundle } from './running-bundle.ts';
export { Screen } from './screen.ts';
