/**
 * The bridge in the container of an image that speaks over its standard streams. An init container copies it there from the image of the
 * bridge, with all that it needs to run: the image may have another C library, or none.
 */
import { BRIDGE_HEALTH_PORT, type StdioPlan } from '#schemas';

/** Where it is mounted, in both containers. */
export const BRIDGE_FOLDER = '/lintel-bridge';

/** Name of the init container. */
export const CARRIER_CONTAINER = 'bridge';

/** What it copies, of its image: `images/lintel-bridge/carry.sh` makes it. */
export const CARRIED_FOLDER = '/app/carried';

/** The loader that is brought along finds the libraries that are. */
const LOADER = [`${BRIDGE_FOLDER}/lib/ld.so`, '--library-path', `${BRIDGE_FOLDER}/lib`];

/** The first process of a container takes leave of those whose parents have ended: tini does. */
export const BRIDGE_COMMAND: readonly string[] = [
  ...[...LOADER, `${BRIDGE_FOLDER}/tini`, '--'],
  ...[...LOADER, `${BRIDGE_FOLDER}/node`, `${BRIDGE_FOLDER}/lintel-bridge.js`],
];

/**
 * Arguments of the bridge, as Kubernetes takes them: it expands `$(NAME)` in those of the server, as in those of any container, and nothing
 * in ours.
 *
 * @param key `<namespace>/<name>`
 */
export function bridgeArguments(key: string, plan: StdioPlan): readonly string[] {
  const { command, args, env, inheritEnv: _, ...others } = plan;
  // Plain variables are those of the container, for its template to change. Of secrets it has to know which they are.
  const secrets = env.filter(({ value }) => value.type === 'secret');
  const ours = [
    ...['--serve', key, '--plan', JSON.stringify({ ...others, env: secrets })],
    ...['--health-address', `0.0.0.0:${BRIDGE_HEALTH_PORT}`, '--shell', [...LOADER, `${BRIDGE_FOLDER}/sh`].join(' ')],
    ...['--', command],
  ];
  return [...ours.map(word => word.replaceAll('$', () => '$$')), ...args];
}
