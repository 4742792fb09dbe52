/** A GatewaySource with the fields that a test sets, and the source reader for it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewaySourceSpec, GatewaySourceStatus } from '#schemas';
import { type ObservedSource, ReconcileError } from '../../../controller/reconcile/index.ts';
import { GitRepository, type GitRepositoryOptions, type SecretData } from '../../../controller/source/index.ts';

export function findSource(
  spec: GatewaySourceSpec,
  { name = 'gateways', namespace = 'team', status = {} as GatewaySourceStatus } = {},
): ObservedSource {
  return { apiVersion: 'lintel.dev/v1beta1', kind: 'GatewaySource', metadata: { namespace, name }, spec, status };
}

/** @param secrets by name; they may change between calls */
export function repositoryIn(
  stateDir: string,
  secrets: { readonly [name: string]: SecretData } = {},
  options: Partial<GitRepositoryOptions> = {},
): GitRepository {
  return new GitRepository({
    stateDir,
    isLocalAllowed: true,
    async readSecret(_source, name) {
      const data = secrets[name];
      if (data === undefined) throw new ReconcileError('DependencyNotReady', 'retry', `no Secret ${name}`);
      return data;
    },
    ...options,
  });
}

export const never: AbortSignal = new AbortController().signal;

/** The contents of the files in a folder, by path; for links, their targets. */
export function filesIn(folder: string): { readonly [path: string]: string } {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter(entry => !entry.isDirectory())
      .map(entry => join(entry.parentPath, entry.name))
      .filter(file => !statSync(file).isDirectory())
      .sort()
      .map(file => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
  );
}

/** The files of the newest commit, or the failure's reason, next step and message, without parts that differ between runs. */
export async function filesOrFailure(sources: GitRepository, source: ObservedSource): Promise<unknown> {
  try {
    return filesIn((await sources.fetchLatest(source, undefined, never)).folder);
  } catch (error) {
    const { reason, next, message } = error as ReconcileError;
    return `${reason} ${next}: ${message.replace(source.spec.url, 'URL').replace(/ at [0-9a-f]{12}/, ' at ID')}`;
  }
}
