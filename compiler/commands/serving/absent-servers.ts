/** Servers of a gateway that cannot start on this machine; the gateway serves without them. */
import type { Compilation } from '../../compile/compilation.ts';
import { type ChosenBundle, listBackends } from '../choose-bundle.ts';
import { findMissingPrograms, formatMissingPrograms } from './missing-programs.ts';
import { findMissingSecrets, formatMissing, type MissingSecret } from './missing-secrets.ts';

export interface AbsentServers {
  /** The names of the servers, each once, sorted. */
  readonly names: readonly string[];
  /** The number of all servers of the gateway. */
  readonly count: number;
  /** What each server lacks and how to provide it; a text may span several lines. */
  readonly texts: readonly string[];
  /** The missing secrets without which nothing can be served at all. */
  readonly needed: readonly MissingSecret[];
}

export const NONE_ABSENT: AbsentServers = { names: [], count: 0, texts: [], needed: [] };

/** @param dotenv files of variables that were loaded */
export function listAbsentServers(
  compilation: Compilation,
  chosen: ChosenBundle,
  dotenv: readonly string[] | undefined,
): AbsentServers {
  const { needed, ofServers } = findMissingSecrets(compilation, chosen);
  const programs = findMissingPrograms(compilation, chosen);
  const secrets = [...needed, ...ofServers];
  return {
    names: [...new Set([...ofServers, ...programs].map(({ server }) => server))].toSorted(),
    count: listBackends(compilation, chosen).length,
    texts: [
      ...(secrets.length === 0 ? [] : [formatMissing(secrets, dotenv)]),
      ...(programs.length === 0 ? [] : [formatMissingPrograms(programs)]),
    ],
    needed,
  };
}
