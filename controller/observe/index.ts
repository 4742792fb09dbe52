/** The controller's interface for operators: log, metrics, and pages. */
export { InternalServer } from './internal-server.ts';
export { ListenError } from './listen-error.ts';
export { createLogger, type Logger } from './log.ts';
export { ControllerMetrics, type ExposedTools } from './metrics.ts';
