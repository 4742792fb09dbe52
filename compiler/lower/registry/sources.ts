import {
  isLocalRepository,
  type RegistryFilterPlan,
  type RegistryOrigin,
  type RegistrySource,
  type RegistrySourcePlan,
} from '#schemas';
import { durationMs } from '../duration.ts';
import type { Tracked } from '../tracked.ts';
import { lowerClaims } from './claims.ts';

/** Where entries come from. A source that this version cannot read is refused, and left out of a plan that is never built. */
export function lowerSources(sources: readonly Tracked<RegistrySource>[]): RegistrySourcePlan[] {
  return sources.flatMap(source => {
    const from = lowerOrigin(source);
    if (from === undefined) return [];
    const interval = source.child('syncPolicy')?.get('interval');
    return [
      {
        name: source.get('name'),
        from,
        intervalMs: interval === undefined ? null : durationMs(interval),
        filter: lowerFilter(source),
        claims: lowerClaims(source),
      },
    ];
  });
}

function lowerOrigin(source: Tracked<RegistrySource>): RegistryOrigin | undefined {
  const git = source.child('git');
  if (git !== undefined) {
    const repository = git.get('repository');
    const isLocal = isLocalRepository(repository);
    if (isLocal) git.ignore('auth', 'a repository on the machine itself asks nobody');
    const auth = isLocal ? undefined : git.child('auth');
    return {
      type: 'git',
      repository,
      ref: lowerRef(git),
      path: git.get('path') ?? 'registry.json',
      credentials:
        auth === undefined ? null : { username: auth.get('username'), passwordFile: auth.get('passwordFile') },
    };
  }
  const api = source.child('api');
  if (api !== undefined)
    return { type: 'api', endpoint: api.get('endpoint'), timeoutMs: durationMs(api.get('timeout') ?? '10s') };
  const file = source.child('file');
  if (file === undefined) return refuse(source);
  const url = file.get('url');
  if (url !== undefined) return { type: 'url', url, timeoutMs: durationMs(file.get('timeout') ?? '30s') };
  file.ignore('timeout', 'a local file is not requested');
  return { type: 'file', path: file.get('path') ?? '' };
}

/** Types without an origin that this version could read. */
function refuse(source: Tracked<RegistrySource>): undefined {
  source.get('name');
  source.unsupported('kubernetes', 'listing the servers of a cluster');
  source.ignore('syncPolicy', 'a cluster is watched');
  source.ignore('filter', 'annotations say what is listed');
  lowerClaims(source);
}

function lowerRef(git: Tracked<NonNullable<RegistrySource['git']>>): Extract<RegistryOrigin, { type: 'git' }>['ref'] {
  for (const type of ['branch', 'tag', 'commit'] as const) {
    const name = git.get(type);
    if (name !== undefined) return { type, name };
  }
  return { type: 'default' };
}

function lowerFilter(source: Tracked<RegistrySource>): RegistryFilterPlan {
  const filter = source.child('filter');
  const lists = (list: 'names' | 'tags') => {
    const block = filter?.child(list);
    return { include: block?.get('include') ?? [], exclude: block?.get('exclude') ?? [] };
  };
  return { names: lists('names'), tags: lists('tags') };
}
