import { pino } from 'pino';
import type { Logger } from '#runtime';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** A logger and the lines that it has written; by default with the default level of Lintel's programs. */
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
