import { type Logger, pino } from 'pino';

export type { Logger };

/** JSON lines on stderr: stdout stays free for data. */
export function createLogger(level: 'info' | 'debug' | 'silent'): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
