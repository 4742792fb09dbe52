/** The entries of registry servers whose sources are real servers and files. */
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { RegistryFilterPlan, RegistryOrigin, RegistrySourcePlan } from '#schemas';
import type { ServerEntry, SourceStatus } from '../../../runtime/registry/snapshot.ts';
import { RegistrySources, type RegistrySourcesOptions } from '../../../runtime/registry/sources/registry-sources.ts';
import { temporaryFolder } from '../../support/process.ts';
import { type RawHandler, type RawServer, startRawServer } from '../../support/raw-server.ts';

export const TAKE_ALL: RegistryFilterPlan = {
  names: { include: [], exclude: [] },
  tags: { include: [], exclude: [] },
};

const DAY_MS = 86_400_000;

/** A source that is read only once in a test, unless the test sets another interval. */
export function source(from: RegistryOrigin, rest: Partial<RegistrySourcePlan> = {}): RegistrySourcePlan {
  return { name: 'team', from, intervalMs: DAY_MS, filter: TAKE_ALL, claims: null, ...rest };
}

/** A valid `server.json`. */
export function server(name: string, version = '1.0.0', more: object = {}) {
  return { name, description: `What ${name} does`, version, ...more };
}

export function sourceFile(...servers: readonly object[]): string {
  return JSON.stringify({ version: '1.0.0', meta: { last_updated: '2026-01-02T03:04:05Z' }, data: { servers } });
}

/** A page of the official API. */
export function page(servers: readonly object[], nextCursor?: string): string {
  const metadata = { count: servers.length, ...(nextCursor === undefined ? {} : { nextCursor }) };
  return JSON.stringify({ servers: servers.map(one => ({ server: one, _meta: {} })), metadata });
}

/** `name@version` of the listed entries. */
export function listed(contents: RegistrySources, name = 'team'): string[] {
  return (contents.snapshots.get(name)?.entries ?? []).map(({ name, version }: ServerEntry) => `${name}@${version}`);
}

export function findSourceStatus(contents: RegistrySources, name = 'team'): SourceStatus {
  const found = contents.status().find(status => status.name === name);
  if (found === undefined) throw new Error(`no source ${name}`);
  return found;
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface TestContents {
  readonly contents: RegistrySources;
  readonly log: LogLine[];
}

/** The sources of a registry server before they are started. The test stops them. */
export function createSources(
  sources: readonly RegistrySourcePlan[],
  { folder = '/nowhere', ...options }: Partial<RegistrySourcesOptions> & { readonly folder?: string } = {},
): TestContents {
  const lines: LogLine[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const contents = new RegistrySources({ bundle: { sources }, folder }, { log, stateDir: undefined, ...options });
  onTestFinished(() => contents.close());
  return { contents, log: lines };
}

/** The sources of a registry server after each was read once, or has failed. */
export async function readContents(...of: Parameters<typeof createSources>): Promise<TestContents> {
  const made = createSources(...of);
  await made.contents.start();
  // Waits for the reading that has just begun.
  await made.contents.refresh();
  return made;
}

export async function upstream(handler: RawHandler, port = 0): Promise<RawServer> {
  const started = await startRawServer(handler, port);
  onTestFinished(() => started.close());
  return started;
}

export async function writeFolder(files: { readonly [path: string]: string } = {}): Promise<string> {
  const folder = await temporaryFolder(files);
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}
