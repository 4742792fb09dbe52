/** Answers the workers' calls to the session store in the primary. */
import type { ReplicaMessage, SharedSessions } from '../shared-sessions/store.ts';
import type { SessionCall, SessionMethod } from './messages.ts';

/** Workers may call only these methods. */
const METHODS: { readonly [M in SessionMethod]: true } = {
  create: true,
  load: true,
  change: true,
  claim: true,
  end: true,
  keep: true,
  existing: true,
  keepEvent: true,
  events: true,
  secret: true,
  send: true,
  isAlive: true,
};

/**
 * @param sessions the store as this worker sees it
 * @param send passes messages of other replicas to the worker
 */
export function createSessionHandlers(
  sessions: SharedSessions,
  send: (message: ReplicaMessage) => void,
): (call: SessionCall) => Promise<unknown> {
  sessions.onMessage(send);
  return async ({ method, args }) => {
    if (METHODS[method] !== true) throw new TypeError(`sessions have no ${method}`);
    // JSON has no `undefined`, which occurs only as the last argument of `claim`.
    const definedArguments = args.map(argument => argument ?? undefined);
    const answer = await (sessions[method] as (...all: unknown[]) => Promise<unknown>)(...definedArguments);
    return answer instanceof Set ? [...answer] : answer;
  };
}
