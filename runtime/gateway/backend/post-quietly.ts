/** What sending a message without an answer is like for its sender: it may get lost, and that is worth a line in the log. */
import { BackendError } from './backend.ts';
import type { BackendContext } from './context.ts';
import { messageKind } from './message-kind.ts';

export interface QuietPost<S> {
  /** The session, opened when there is none. */
  open(): Promise<S>;
  send(session: S, text: string): Promise<void>;
  /** The backend does not know the session any more. */
  forget(session: S): void;
}

/** Sends a notification or a response. A notification that meets a lost session is sent once more, in a new one. */
export async function postQuietly<S>({ backend, log }: BackendContext, text: string, by: QuietPost<S>): Promise<void> {
  try {
    const session = await by.open();
    try {
      await by.send(session, text);
    } catch (error) {
      if (!(error instanceof BackendError) || error.httpStatus !== 404) throw error;
      by.forget(session);
      // A response belongs to a request of the session that is gone.
      if (messageKind(Buffer.from(text))?.type === 'notification') await by.send(await by.open(), text);
    }
  } catch (error) {
    log.debug({ backend, error: (error as Error).message }, 'a message was not delivered');
  }
}
