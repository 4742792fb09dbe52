/** Stores the events of one session's streams, so that a client can resume after a broken connection. */
import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

interface StoredEvent {
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

export class MemoryEventStore implements EventStore {
  /** The id of an event is its position here, counted from one. */
  readonly #events: StoredEvent[] = [];

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    return String(this.#events.push({ streamId, message }));
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#events[Number(eventId) - 1]?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const streamId = await this.getStreamIdForEventId(lastEventId);
    if (streamId === undefined) throw new Error(`no event ${lastEventId}`);
    for (const [at, event] of this.#events.entries()) {
      // The event that opens a stream carries no message.
      if (at < Number(lastEventId) || event.streamId !== streamId || !('jsonrpc' in event.message)) continue;
      await send(String(at + 1), event.message);
    }
    return streamId;
  }
}
