import { pino } from 'pino';
import type { Logger } from '#runtime';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** A logger, by default at a process's default level, and its output. */
export function listeningLog(level: 'info' | 'debug' = 'info'): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const options = {
    level,
    base: null,
    timestamp: false,
    formatters: { level: (level: string) => ({ level }) },
  };
  return { log: pino(options, { write }), lines };
}
