import { type Logger, pino } from 'pino';

export type { Logger };

/** Logs JSON lines on stderr, as the runtime does; stdout is only for data. */
export function createLogger(): Logger {
  return pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
