/** The connection between a session and its program. */
import type { Message } from '../message.ts';
import type { Program, ProgramOwner } from '../process/program.ts';
import type { StdioServer } from '../server.ts';

export interface Link {
  /** `text` is one line. Returns false when the message is dropped, because the program leaves too much unread. */
  send(text: string, message: Message): boolean;
  /** Called when the session has ended. */
  close(reason: string): Promise<void>;
}

/** Starts a process that serves this session alone, so messages pass unchanged. */
export async function startOwnProcess(server: StdioServer, owner: ProgramOwner): Promise<Link> {
  const program: Program = await server.start(owner);
  return { send: text => program.send(text), close: reason => program.end(reason) };
}
