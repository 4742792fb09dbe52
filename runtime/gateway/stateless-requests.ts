/** What the gateway answers to requests of the stateless revision. */
import type { Envelope } from '../mcp/envelope.ts';
import type { ClientAnswer } from '../mcp/handler.ts';
import type { Implementation, StatelessHandler } from '../mcp/stateless/handler.ts';
import { type CacheHint, resultMembers } from '../mcp/stateless/result.ts';
import { WIRE_CODE, WireError } from '../mcp/wire-error.ts';
import type { CapabilityKind } from './capabilities.ts';
import type { Gateway } from './gateway.ts';
import { LISTS, refusePartialList, wireErrorOf } from './requests.ts';

/** What works in this revision so far. */
const CAPABILITIES = { tools: {}, prompts: {}, resources: {} };

/** A list may change at any time; this is how long a client that does not listen may go without looking. */
const LIST_CACHE: CacheHint = { ttlMs: 5_000, cacheScope: 'private' };

/** The gateway as the client edge sees it in the stateless revision. */
export function createStatelessHandler(gateway: Gateway): StatelessHandler {
  return {
    get serverInfo() {
      return serverInfoOf(gateway);
    },
    discover: () => ({ capabilities: CAPABILITIES }),
    request: (_caller, envelope, answer) => {
      const list = LISTS.get(envelope.method);
      // Methods of sessions (`ping`, `logging/setLevel`, …) are unknown here like any other.
      if (list === undefined) throw unknownMethod(envelope.method);
      void answerList(gateway, list, envelope, answer);
    },
    subscribe: () => Promise.reject(unknownMethod('subscriptions/listen')),
  };
}

function serverInfoOf(gateway: Gateway): Implementation {
  return { name: gateway.bundle.server.name, version: gateway.version };
}

async function answerList(
  gateway: Gateway,
  kind: CapabilityKind,
  envelope: Envelope,
  answer: ClientAnswer,
): Promise<void> {
  await gateway.settled();
  try {
    refusePartialList(gateway);
    const common = resultMembers(serverInfoOf(gateway), { cache: LIST_CACHE });
    answer.result(gateway.table.lists[kind].page(envelope.cursor?.value, common));
  } catch (error) {
    answer.error(wireErrorOf(error));
  }
}

function unknownMethod(method: string): WireError {
  return new WireError(WIRE_CODE.methodNotFound, `method "${method}" is not supported`);
}
