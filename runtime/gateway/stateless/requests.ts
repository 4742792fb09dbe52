/** The gateway's answers to requests of the stateless revision. */
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { Implementation, StatelessHandler } from '../../mcp/stateless/handler.ts';
import { type CacheHint, formatResultMembers } from '../../mcp/stateless/result.ts';
import type { SharedSessions } from '../../shared-sessions/store.ts';
import { createSender, type Sender } from '../backends/sender.ts';
import type { ItemKind } from '../offers/offered-items.ts';
import { readCursor } from '../offers/prepared-list.ts';
import { getCallerList, LISTS } from '../routing/lists.ts';
import { onlyReads } from '../routing/only-reads.ts';
import { takeCall } from '../routing/optimizer-call.ts';
import { SERVER_CAPABILITIES } from '../routing/server-capabilities.ts';
import { toWireError } from '../routing/to-wire-error.ts';
import { findUnavailableMember } from '../routing/unavailable-backends.ts';
import { offersTasks, TASKS_EXTENSION } from '../tasks/extension.ts';
import { relayOptimizerCall, relayStateless, type StatelessRequest } from './relay.ts';
import type { StatelessGateway } from './stateless-gateway.ts';
import { subscribe } from './subscription.ts';
import { SuspendedCalls } from './suspended-calls.ts';

/** A list may change at any time; this is how long a client without a subscription may use a cached list. */
const LIST_CACHE: CacheHint = { ttlMs: 5_000, cacheScope: 'private' };

export interface ServedStateless extends StatelessHandler {
  /** Resolves when this replica no longer runs calls for clients of other replicas, or after `limitMs` milliseconds. */
  drained(limitMs: number): Promise<void>;
  close(): void;
}

/**
 * The gateway in the form that the client edge uses in the stateless revision.
 * @param shared where the other replicas are found; undefined when there are none
 */
export function createStatelessHandler(gateway: StatelessGateway, shared?: SharedSessions): ServedStateless {
  const suspendedCalls = new SuspendedCalls(gateway, shared);
  const { rounds } = suspendedCalls;
  return {
    drained: async limitMs => rounds?.drained(limitMs),
    close: () => rounds?.close(),
    onReplicaMessage: message => rounds?.receive(message),
    onlyReads: ({ method, name }) => onlyReads(gateway.table, method, name?.value),
    get serverInfo() {
      return toServerInfo(gateway);
    },
    discover: () => {
      const extensions = offersTasks(gateway) ? { extensions: { [TASKS_EXTENSION]: {} } } : {};
      return { capabilities: { ...SERVER_CAPABILITIES, ...extensions } };
    },
    request: (caller, envelope, answer, context) => {
      const sender = createSender(context, gateway.bundle);
      const list = LISTS.get(envelope.method);
      // Any other method, such as those of sessions (`ping`, `logging/setLevel`, …), is unknown here.
      if (list !== undefined) void answerList(gateway, list, envelope, answer, sender);
      else relay(gateway, suspendedCalls, { caller, envelope, answer, context, sender });
    },
    subscribe: (_caller, filter, sink, context, signal) =>
      subscribe(gateway, filter, sink, createSender(context, gateway.bundle), signal),
  };
}

function relay(gateway: StatelessGateway, suspendedCalls: SuspendedCalls, request: StatelessRequest): void {
  const { optimizer } = gateway;
  const { envelope, context } = request;
  if (optimizer === undefined || envelope.method !== 'tools/call') {
    relayStateless(gateway, suspendedCalls, request);
    return;
  }
  const common = formatResultMembers(toServerInfo(gateway));
  const { record } = context;
  const call = takeCall(gateway, optimizer, { ...request, record, form: 'stateless', common });
  if (call !== undefined) relayOptimizerCall(gateway, suspendedCalls, { ...request, call, common });
}

function toServerInfo(gateway: StatelessGateway): Implementation {
  return { name: gateway.bundle.server.name, version: gateway.version };
}

async function answerList(
  gateway: StatelessGateway,
  kind: ItemKind,
  envelope: Envelope,
  answer: ClientResponder,
  sender: Sender,
): Promise<void> {
  try {
    const cursor = readCursor(envelope);
    const list = await getCallerList(gateway, kind, sender);
    const meta = findUnavailableMember(gateway, gateway.getAccess(sender.identity));
    const common = formatResultMembers(toServerInfo(gateway), {
      cache: LIST_CACHE,
      ...(meta !== undefined && { meta }),
    });
    // Only the list without additions has its bytes cached, which is the common case.
    answer.result(meta === undefined ? list.pageBytes(cursor, common) : list.page(cursor, common));
  } catch (error) {
    answer.error(toWireError(error));
  }
}
