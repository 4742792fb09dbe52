import { type Logger, pino } from 'pino';
import { toVisibleJson } from './visible-text.ts';

export type { Logger };

/** Creates a logger that writes JSON lines to stderr, because stdout is for data. */
export function createLogger(level: 'info' | 'debug' | 'silent'): Logger {
  const stderr = pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    { write: line => stderr.write(toVisibleJson(line)) },
  );
}
