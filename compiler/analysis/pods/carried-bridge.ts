/**
 * Puts the bridge into the container of an image whose program speaks MCP over its standard streams. An init container copies the bridge
 * from its own image, with everything that it needs to run: the target image may have another C library, or none.
 */
import { BRIDGE_HEALTH_PORT, type StdioPlan } from '#schemas';

/** Mount path in both containers. */
export const BRIDGE_FOLDER = '/lintel-bridge';

/** Name of the init container. */
export const CARRIER_CONTAINER = 'bridge';

/** The folder of the bridge's image that is copied; `bridge/carry.sh` fills it. */
export const CARRIED_FOLDER = '/app/carried';

/** The copied loader finds the copied libraries. */
const LOADER = [`${BRIDGE_FOLDER}/lib/ld.so`, '--library-path', `${BRIDGE_FOLDER}/lib`];

/** The first process of a container has to reap orphaned processes, which tini does. */
export const BRIDGE_COMMAND: readonly string[] = [
  ...[...LOADER, `${BRIDGE_FOLDER}/tini`, '--'],
  ...[...LOADER, `${BRIDGE_FOLDER}/node`, `${BRIDGE_FOLDER}/lintel-bridge.js`],
];

/**
 * Arguments of the bridge's container. Kubernetes expands `$(NAME)` in the server's arguments, as in those of any container, and must expand
 * nothing in the bridge's own.
 *
 * @param key `<namespace>/<name>`
 */
export function listBridgeArguments(key: string, plan: StdioPlan): readonly string[] {
  const { command, args, env, inheritEnv: _, ...others } = plan;
  // Plain variables belong to the container, so that its template may change them. The bridge only has to know which variables are secrets.
  const secrets = env.filter(({ value }) => value.type === 'secret');
  const ours = [
    ...['--serve', key, '--plan', JSON.stringify({ ...others, env: secrets })],
    ...['--health-address', `0.0.0.0:${BRIDGE_HEALTH_PORT}`, '--shell', [...LOADER, `${BRIDGE_FOLDER}/sh`].join(' ')],
    ...['--', command],
  ];
  return [...ours.map(word => word.replaceAll('$', () => '$$')), ...args];
}
