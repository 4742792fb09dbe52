/** What operators see of the controller: log lines, metrics, and the server of its pages. */
export { InternalServer } from './internal-server.ts';
export { ListenError } from './listen-error.ts';
export { createLogger, type Logger } from './log.ts';
export { ControllerMetrics, type ExposedTools } from './metrics.ts';
