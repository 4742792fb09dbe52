import type { RegistryEntry } from '../bundle/registry.ts';
import { getMember, isObject } from '../json-object.ts';
import { checkServer } from './check-server.ts';
import { findOfficialProblems, toRegistryEntry } from './entry.ts';
import type { ServerProblem } from './problem.ts';
import { OFFICIAL_META } from './server-shape.ts';

/**
 * Reads one element of `servers` in a response of the official API: `{server, _meta}`. Pointers start at the element. A registry may accept new
 * versions of `server.json` before this code knows them: such an entry is checked against the newest known version.
 *
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/api/openapi.yaml
 */
export function readServerResponse(value: unknown): {
  readonly entry: RegistryEntry | undefined;
  readonly problems: readonly ServerProblem[];
} {
  if (!isObject(value)) return { entry: undefined, problems: [{ pointer: '', message: 'must be an object' }] };
  const server = getMember(value, 'server');
  if (server === undefined) return { entry: undefined, problems: [{ pointer: '', message: 'needs "server"' }] };
  const official = getMember(getMember(value, '_meta'), OFFICIAL_META);
  const problems = [
    ...checkServer(server, 'judged').map(problem => ({ ...problem, pointer: `/server${problem.pointer}` })),
    ...findOfficialProblems(official, `/_meta/${OFFICIAL_META.replace('/', '~1')}`),
  ];
  if (problems.length > 0) return { entry: undefined, problems };
  return { entry: toRegistryEntry(server as RegistryEntry['server'], official, null), problems };
}
