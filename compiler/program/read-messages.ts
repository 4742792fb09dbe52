/** Parses the messages on the pipe of a program's process. */
import type { Message, PendingHandle, RunResult } from './child/exchange.ts';

export interface ChildReport {
  /** The result; undefined when the process ended before it sent one. */
  readonly result: RunResult | undefined;
  /** The pending operation that kept the program alive, according to its last message. */
  readonly stillOpen: PendingHandle | undefined;
}

/**
 * Parses the text on the pipe. Undefined if some of the text is of another origin: a program can write to every open file descriptor.
 *
 * @param mark the prefix of Lintel's lines, which the program does not know
 */
export function readMessages(text: string, mark: string): ChildReport | undefined {
  let report: ChildReport = { result: undefined, stillOpen: undefined };
  // The last line is empty, or truncated because the process was killed.
  for (const line of text.split('\n').slice(0, -1)) {
    const message = findMessage(line, mark);
    if (message === undefined) return undefined;
    if ('stillOpen' in message) report = { ...report, stillOpen: message.stillOpen ?? undefined };
    else report = { ...report, result: message };
  }
  return report;
}

function findMessage(line: string, mark: string): Message | undefined {
  if (!line.startsWith(mark)) return undefined;
  try {
    const message: unknown = JSON.parse(line.slice(mark.length));
    return typeof message === 'object' && message !== null ? (message as Message) : undefined;
  } catch {
    // The program wrote between two messages.
    return undefined;
  }
}
