/** What the gateway can do with tasks: what the backends that are there can do, taken together. */
import { isObject } from '#schemas';
import type { BackendConnection } from '../connection.ts';
import type { Gateway } from '../gateway.ts';
import { TASKS_EXTENSION } from './extension.ts';

type ClientExtensions = { readonly [name: string]: unknown };

const OPERATIONS = ['list', 'cancel'] as const;

/** The first revision that has tasks. */
const FIRST_REVISION = '2025-11-25';

/** The `tasks` capability for a client of this revision; undefined when no backend has tasks. */
export function taskCapability(gateway: Gateway, protocolVersion: string): object | undefined {
  if (protocolVersion < FIRST_REVISION) return undefined;
  const announced = [...gateway.connections.values()]
    .filter(({ monitor }) => monitor.available)
    .map(findTasks)
    .filter(tasks => tasks !== undefined);
  if (announced.length === 0) return undefined;
  const operations = OPERATIONS.filter(name => announced.some(tasks => Object.hasOwn(tasks, name)));
  const canCall = announced.some(
    ({ requests }) => isObject(requests) && isObject(requests.tools) && isObject(requests.tools.call),
  );
  return {
    ...Object.fromEntries(operations.map(name => [name, {}])),
    ...(canCall ? { requests: { tools: { call: {} } } } : {}),
  };
}

/** Whether a backend can list its tasks. */
export function listsTasks(connection: BackendConnection): boolean {
  return Object.hasOwn(findTasks(connection) ?? {}, 'list');
}

/**
 * The capabilities of a session's client as backends get to see them. Not that its tasks can be listed: the list would show
 * each backend what the others have asked. Nor the tasks of the stateless revision: their requests have no place in a session.
 */
export function capabilitiesForBackends(capabilities: ClientExtensions): ClientExtensions {
  const { tasks, extensions } = capabilities;
  const { list: _list, ...ownTasks } = isObject(tasks) ? tasks : {};
  const { [TASKS_EXTENSION]: _tasks, ...ownExtensions } = isObject(extensions) ? extensions : {};
  return {
    ...capabilities,
    ...(isObject(tasks) ? { tasks: ownTasks } : {}),
    ...(isObject(extensions) ? { extensions: ownExtensions } : {}),
  };
}

function findTasks({ announcedInSessions }: BackendConnection): ClientExtensions | undefined {
  const { tasks } = announcedInSessions;
  return isObject(tasks) ? tasks : undefined;
}
