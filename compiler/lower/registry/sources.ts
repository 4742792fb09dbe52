import {
  type HttpCredentialsPlan,
  isLocalRepository,
  type RegistryHttpAuth,
  type RegistryOrigin,
  type RegistrySource,
  type RegistrySourcePlan,
} from '#schemas';
import { lowerClaims } from '../../analysis/registry/claims.ts';
import type { BundledEntries } from '../../analysis/registry/contents.ts';
import { toFilterPlan } from '../../analysis/registry/entry-filter.ts';
import type { Tracked } from '../../resolve/tracked.ts';
import { parseDurationMs } from '../../text/duration.ts';
import { type BundleFile, lowerEntries } from './entries.ts';

export interface LoweredSources {
  readonly sources: readonly RegistrySourcePlan[];
  /** The entries of bundled sources. */
  readonly files: readonly BundleFile[];
}

type TrackedSource = Tracked<RegistrySource>;

/** Default interval for rereading a file next to the server, in milliseconds. */
const FILE_INTERVAL_MS = 60_000;

/**
 * Lowers sources.
 * @param bundled entries that were read at compile time, by source
 */
export function lowerSources(
  sources: readonly TrackedSource[],
  bundled: ReadonlyMap<string, BundledEntries>,
): LoweredSources {
  const files: BundleFile[] = [];
  const plans = sources.map((source): RegistrySourcePlan => {
    const name = source.get('name');
    const read = bundled.get(name);
    const claims = lowerClaims(source);
    if (read === undefined) return { name, ...lowerFetched(source), claims };
    const { plan, file } = lowerEntries(name, read);
    files.push(file);
    return { name, from: { type: 'bundled', entries: plan }, ...lowerBundled(source), claims };
  });
  return { sources: plans, files };
}

/** A source that the server reads at run time. */
function lowerFetched(source: TrackedSource): Pick<RegistrySourcePlan, 'from' | 'intervalMs' | 'filter'> {
  const from = lowerOrigin(source);
  const interval = source.child('syncPolicy')?.get('interval');
  const defaultMs = from.type === 'file' ? FILE_INTERVAL_MS : null;
  return {
    from,
    intervalMs: interval === undefined ? defaultMs : parseDurationMs(interval),
    filter: toFilterPlan(source.get('filter')),
  };
}

/** A source that was read at compile time: nothing is read again, and the filter was already applied. */
function lowerBundled(source: TrackedSource): Pick<RegistrySourcePlan, 'intervalMs' | 'filter'> {
  if (source.peek('kubernetes') === undefined) {
    const file = source.child('file');
    file?.get('path');
    if (file !== undefined) ignoreRequests(file);
    source.ignore('syncPolicy', 'a relative path is read when the bundle is built');
    return { intervalMs: null, filter: toFilterPlan(source.get('filter')) };
  }
  source.child('kubernetes')?.countsByPresence().get('namespaces');
  source.ignore('syncPolicy', 'objects are read when the bundle is built');
  source.ignore('filter', 'annotations say what is listed');
  return { intervalMs: null, filter: toFilterPlan(undefined) };
}

function lowerOrigin(source: TrackedSource): RegistryOrigin {
  const git = source.child('git');
  if (git !== undefined) {
    const repository = git.get('repository');
    const isLocal = isLocalRepository(repository);
    if (isLocal) git.ignore('auth', 'a repository on the machine itself needs no credentials');
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
  if (api !== undefined) {
    const timeoutMs = parseDurationMs(api.get('timeout') ?? '10s');
    return { type: 'api', endpoint: api.get('endpoint'), timeoutMs, ...lowerHttpAuth(api.child('auth')) };
  }
  const file = source.child('file');
  if (file === undefined) throw new Error('a source without a type passed the rules');
  const url = file.get('url');
  if (url !== undefined) {
    const timeoutMs = parseDurationMs(file.get('timeout') ?? '30s');
    return { type: 'url', url, timeoutMs, ...lowerHttpAuth(file.child('auth')) };
  }
  ignoreRequests(file);
  return { type: 'file', path: file.get('path') ?? '' };
}

function ignoreRequests(file: Tracked<NonNullable<RegistrySource['file']>>): void {
  file.ignore('timeout', 'a local file is not requested');
  file.ignore('auth', 'a local file is not requested');
}

/** A rule requires either a token, or a user with a password. */
function lowerHttpAuth(auth: Tracked<RegistryHttpAuth> | undefined): { readonly credentials?: HttpCredentialsPlan } {
  if (auth === undefined) return {};
  const tokenFile = auth.get('tokenFile');
  if (tokenFile !== undefined) return { credentials: { type: 'bearer', tokenFile } };
  const username = auth.get('username') ?? '';
  return { credentials: { type: 'basic', username, passwordFile: auth.get('passwordFile') ?? '' } };
}

function lowerRef(git: Tracked<NonNullable<RegistrySource['git']>>): Extract<RegistryOrigin, { type: 'git' }>['ref'] {
  for (const type of ['branch', 'tag', 'commit'] as const) {
    const name = git.get(type);
    if (name !== undefined) return { type, name };
  }
  return { type: 'default' };
}
