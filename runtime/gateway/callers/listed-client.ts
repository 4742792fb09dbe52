import type { ClientSession } from '../../mcp/handler.ts';
import type { CapabilitySet } from '../backends/capability-set.ts';
import type { Sender } from '../backends/sender.ts';

/** A client in a session that reads lists, and is notified of their changes. */
export type ListedClient = Pick<ClientSession<ListTraits>, 'payload' | 'send'>;

/** The traits of a client that decide which lists it gets. */
interface ListTraits {
  /** The sender of the client's latest request. */
  readonly sender: Sender;
  /** Undefined for a client without capabilities. */
  readonly capabilitySet: CapabilitySet | undefined;
}
