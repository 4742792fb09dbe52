/** What the gateway answers to requests of the stateless revision. */
import type { Identity } from '../../auth/identity.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientAnswer } from '../../mcp/handler.ts';
import type { Implementation, StatelessHandler } from '../../mcp/stateless/handler.ts';
import { type CacheHint, resultMembers } from '../../mcp/stateless/result.ts';
import { CAPABILITIES } from '../announced.ts';
import type { CapabilityKind } from '../capabilities.ts';
import type { Gateway } from '../gateway.ts';
import { LISTS, listOf } from '../lists.ts';
import { offersTasks, TASKS_EXTENSION } from '../tasks/extension.ts';
import { wireErrorOf } from '../wire-errors.ts';
import { HeldCalls } from './held-calls.ts';
import { relayStateless, type StatelessRequest } from './relay.ts';
import { subscribe } from './subscription.ts';

/** A list may change at any time; this is how long a client that does not listen may go without looking. */
const LIST_CACHE: CacheHint = { ttlMs: 5_000, cacheScope: 'private' };

/** The gateway as the client edge sees it in the stateless revision. */
export function createStatelessHandler(gateway: Gateway): StatelessHandler {
  const held = new HeldCalls();
  return {
    get serverInfo() {
      return serverInfoOf(gateway);
    },
    discover: () => {
      const extensions = offersTasks(gateway) ? { extensions: { [TASKS_EXTENSION]: {} } } : {};
      return { capabilities: { ...CAPABILITIES, ...extensions } };
    },
    request: (caller, envelope, answer, context) => {
      const list = LISTS.get(envelope.method);
      if (list !== undefined) void answerList(gateway, list, envelope, answer, context.identity);
      // Methods of sessions (`ping`, `logging/setLevel`, …) are unknown here like any other.
      else if (gateway.isSettled) relayStateless(gateway, held, { caller, envelope, answer, context });
      else void relayWhenDecided(gateway, held, { caller, envelope, answer, context });
    },
    subscribe: (_caller, filter, sink, { identity }) => subscribe(gateway, filter, sink, identity),
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
  caller: Identity,
): Promise<void> {
  try {
    const list = await listOf(gateway, kind, caller);
    const common = resultMembers(serverInfoOf(gateway), { cache: LIST_CACHE });
    answer.result(list.pageBytes(envelope.cursor?.value, common));
  } catch (error) {
    answer.error(wireErrorOf(error));
  }
}

/** Just started: a backend that has not told its names yet may have this one, or have it before the others. */
async function relayWhenDecided(gateway: Gateway, held: HeldCalls, request: StatelessRequest): Promise<void> {
  const { method, name } = request.envelope;
  const isNamed = method === 'tools/call' || method === 'prompts/get';
  await (isNamed && name !== undefined ? gateway.decided(name.value) : gateway.settled());
  try {
    relayStateless(gateway, held, request);
  } catch (error) {
    request.answer.error(wireErrorOf(error));
  }
}
