/**
 * The severities of `notifications/message`, least severe first.
 * @see https://datatracker.ietf.org/doc/html/rfc5424#section-6.2.1
 */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function isLogLevel(value: unknown): value is string {
  return typeof value === 'string' && LEVELS.includes(value);
}

/** Whether a message of severity `level` is for a client that requested messages from severity `least` on. */
export function isAtLeast(level: unknown, least: string): boolean {
  return typeof level === 'string' && LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}
