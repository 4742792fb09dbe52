/** Shows the `/status` of a running gateway. */
export { type FrameOptions, renderFrame, type StatusSample } from './frame.ts';
export { type GatewayStatus, parseGatewayStatus } from './gateway-status.ts';
export { NoStatusError, readStatus, toStatusUrl } from './read-status.ts';
export { Screen } from './screen.ts';
