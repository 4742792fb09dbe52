/** What the process of a program told, from the text on its pipe. */
import type { Message, RunResult, StillOpen } from './child/exchange.ts';

export interface Told {
  /** Undefined where the process ended before it had one. */
  readonly result: RunResult | undefined;
  /** What kept it open when it last said so. */
  readonly stillOpen: StillOpen | undefined;
}

/** Undefined for text that is none of ours. */
export function readMessages(text: string): Told | undefined {
  const lines = text.split('\n');
  // A process that was ended may have been in the middle of a line.
  lines.pop();
  let told: Told = { result: undefined, stillOpen: undefined };
  for (const line of lines) {
    const message = JSON.parse(line) as Message;
    if ('stillOpen' in message) told = { ...told, stillOpen: message.stillOpen ?? undefined };
    else told = { ...told, result: message };
  }
  return told;
}
