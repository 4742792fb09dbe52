/** The messages of the process of a program, from the text on its pipe. */
import type { Message, RunResult, StillOpen } from './child/exchange.ts';

export interface ChildReport {
  /** Undefined where the process ended before it had one. */
  readonly result: RunResult | undefined;
  /** What kept the program open, by its last message. */
  readonly stillOpen: StillOpen | undefined;
}

/**
 * Undefined for text that is not ours: a program can write to each file descriptor that is open.
 *
 * @param mark what each of our lines begins with, and the program does not know
 */
export function readMessages(text: string, mark: string): ChildReport | undefined {
  let report: ChildReport = { result: undefined, stillOpen: undefined };
  // The last line is empty, or that of a process that was ended in the middle of it.
  for (const line of text.split('\n').slice(0, -1)) {
    const message = messageIn(line, mark);
    if (message === undefined) return undefined;
    if ('stillOpen' in message) report = { ...report, stillOpen: message.stillOpen ?? undefined };
    else report = { ...report, result: message };
  }
  return report;
}

function messageIn(line: string, mark: string): Message | undefined {
  if (!line.startsWith(mark)) return undefined;
  try {
    const message: unknown = JSON.parse(line.slice(mark.length));
    return typeof message === 'object' && message !== null ? (message as Message) : undefined;
  } catch {
    // The program wrote between the two of them.
    return undefined;
  }
}
