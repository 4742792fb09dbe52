import type { Envelope } from '../../../runtime/mcp/envelope.ts';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import type {
  NotificationFilter,
  NotificationSink,
  StatelessCaller,
  StatelessHandler,
} from '../../../runtime/mcp/stateless/handler.ts';
import { formatResultMembers } from '../../../runtime/mcp/stateless/result.ts';
import { WIRE_CODE, WireError } from '../../../runtime/mcp/wire-error.ts';

/** How the fake core handles a request by its method. */
export type StatelessBehaviour = (answer: ClientResponder, envelope: Envelope, caller: StatelessCaller) => void;

/** A subscription that the fake core has received. */
export interface FakeSubscription {
  readonly filter: NotificationFilter;
  readonly sink: NotificationSink;
  isClosed: boolean;
}

export interface FakeStatelessCore extends StatelessHandler {
  /** The subscriptions so far, oldest first. */
  readonly subscriptions: FakeSubscription[];
}

export interface StatelessOptions {
  readonly behaviours?: { readonly [method: string]: StatelessBehaviour };
  /** Replaces the handling of a subscription. */
  readonly onSubscribe?: (subscription: FakeSubscription) => void | Promise<void>;
}

const SERVER_INFO = { name: 'fake', version: '1' };
const TOOLS = '"tools":[{"name":"echo","inputSchema":{"type":"object"}}]';

/** A core that answers `tools/list`, accepts every subscription except those to prompts, and does what the test sets. */
export function fakeStatelessCore({ behaviours = {}, onSubscribe }: StatelessOptions = {}): FakeStatelessCore {
  const subscriptions: FakeSubscription[] = [];
  return {
    serverInfo: SERVER_INFO,
    subscriptions,
    discover: () => ({ capabilities: { tools: { listChanged: true } }, instructions: 'ask' }),
    request(caller, envelope, answer) {
      const behaviour = behaviours[envelope.method];
      if (behaviour !== undefined) behaviour(answer, envelope, caller);
      else if (envelope.method === 'tools/list') {
        const cache = { ttlMs: 0, cacheScope: 'private' } as const;
        answer.result(`{${formatResultMembers(SERVER_INFO, { cache })},${TOOLS}}`);
      } else answer.error(new WireError(WIRE_CODE.methodNotFound, 'method not found'));
    },
    async subscribe(_, filter, sink) {
      const subscription: FakeSubscription = { filter, sink, isClosed: false };
      subscriptions.push(subscription);
      await onSubscribe?.(subscription);
      const { promptsListChanged: _prompts, ...honoured } = filter;
      return {
        honoured,
        close: () => {
          subscription.isClosed = true;
        },
      };
    },
  };
}
