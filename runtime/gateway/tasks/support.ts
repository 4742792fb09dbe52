/** The gateway's support of tasks: that of all available backends together. */
import { isObject } from '#schemas';
import type { BackendConnection } from '../connections/connection.ts';
import { TASKS_EXTENSION } from './extension.ts';
import type { TaskGateway } from './task-gateway.ts';

type ClientExtensions = { readonly [name: string]: unknown };

const OPERATIONS = ['list', 'cancel'] as const;

/** The first revision that has tasks. */
const FIRST_REVISION = '2025-11-25';

/** The `tasks` capability for a client of this revision; undefined when no backend has tasks. */
export function findTaskCapability(
  { connections }: Pick<TaskGateway, 'connections'>,
  protocolVersion: string,
): object | undefined {
  if (protocolVersion < FIRST_REVISION) return undefined;
  const announced = [...connections.values()]
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
 * The capabilities of a session's client in the form for backends. Without the listing of tasks, which would show each backend the tasks of
 * others, and without the tasks of the stateless revision, which sessions cannot use.
 */
export function selectBackendCapabilities(capabilities: ClientExtensions): ClientExtensions {
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
