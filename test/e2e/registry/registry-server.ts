/** A registry server as a process, from a configuration that is built, and a plain HTTP client. */
import { runLintel } from '../../support/lintel.ts';
import {
  eventually,
  PROGRAM,
  type Program,
  start,
  type TemporaryFolder,
  temporaryFolder,
} from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';

/** The line that a registry server prints when it listens. */
export interface RegistryAnnouncement {
  readonly event: string;
  readonly url: string;
  readonly internal: string;
  readonly registry: string;
  readonly digest: string;
  readonly registries: { readonly [registry: string]: string };
}

/** The parts of `/status` that the tests read. */
export interface RegistryStatus {
  readonly bundle: {
    readonly digest: string;
    readonly refused: string | null;
    readonly staleSecurity: readonly string[];
  };
  readonly ready: boolean;
  readonly sources: readonly {
    readonly name: string;
    readonly phase: string;
    readonly servers: number;
    readonly message: string;
    readonly isFromDisk: boolean;
  }[];
}

/** `server.json` of the current schema. */
export function server(name: string, version = '1.0.0', description = `The server ${name}.`): object {
  const $schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
  return { $schema, name, description, version };
}

/** A source file with these servers. */
export function sourceFile(servers: readonly object[]): string {
  const meta = { last_updated: '2026-01-01T00:00:00Z' };
  return JSON.stringify({ version: '1.0.0', meta, data: { servers, groups: [] } });
}

/** `auth: { mode: anonymous }` over one source, in flow style, named `main`. */
export function anonymousConfig(source: string): string {
  return `registryName: demo
sources: [${source}]
registries: [{ name: main, sources: [ours] }]
auth: { mode: anonymous }
`;
}

export interface RegistryServer extends AsyncDisposable, RegistryAnnouncement {
  /** Path of the servers in the registry `main`. */
  readonly main: string;
  readonly folder: TemporaryFolder;
  readonly program: Program;
  status(): Promise<RegistryStatus>;
  /** Builds the current content of `folder` into its subfolder `out`, which the program serves. */
  build(): Promise<void>;
}

/**
 * Builds the files of a new or existing folder, and serves the result. `DIR` in a file stands for the folder, which also holds the server's
 * state.
 */
export async function startRegistry(
  files: { readonly [path: string]: string } | TemporaryFolder,
  args: readonly string[] = [],
  env: { readonly [name: string]: string } = {},
): Promise<RegistryServer> {
  const isFolder = 'path' in files && typeof files.path === 'string';
  const folder = isFolder ? (files as TemporaryFolder) : await temporaryFolder();
  if (!isFolder) await writeInto(folder, files as { readonly [path: string]: string });
  await build(folder);
  const kept = ['--state-dir', folder.file('state')];
  const program = start(PROGRAM.runtime, ['--bundle', folder.file('out'), ...FREE_PORTS, ...kept, ...args], { env });
  const announcement = await program.announcement<RegistryAnnouncement>().catch(async error => {
    await program[Symbol.asyncDispose]();
    throw error;
  });
  const { internal } = announcement;
  await eventually(async () => (await fetch(`${internal}/readiness`)).ok);
  return {
    ...announcement,
    main: announcement.registries.main ?? '',
    folder,
    program,
    status: async () => (await (await fetch(`${internal}/status`)).json()) as RegistryStatus,
    build: () => build(folder),
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      if (!isFolder) await folder[Symbol.asyncDispose]();
    },
  };
}

/** Writes files in which `DIR` stands for the folder. */
export function writeInto(folder: TemporaryFolder, files: { readonly [path: string]: string }): Promise<void> {
  // Three letters of a certificate or a token in Base64 may be `DIR`, too: about one certificate in a hundred.
  const isConfiguration = (path: string) => /\.(?:ya?ml|json)$/.test(path);
  const texts = Object.entries(files).map(([path, text]) => [
    path,
    isConfiguration(path) ? text.replaceAll('DIR', folder.path) : text,
  ]);
  return folder.write(Object.fromEntries(texts) as Record<string, string>);
}

async function build(folder: TemporaryFolder): Promise<void> {
  const { code, stderr } = await runLintel(['build', 'registry.yaml', '--out', 'out'], { cwd: folder.path });
  if (code !== 0) throw new Error(stderr);
}

export interface Page {
  readonly servers: readonly { readonly server: { readonly name: string; readonly version: string } }[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

/** A page of a listing. */
export async function findPage(
  url: string,
  query: { readonly [name: string]: string } = {},
  token?: string,
): Promise<Page> {
  const response = await fetch(`${url}?${new URLSearchParams(query)}`, { headers: bearer(token) });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Page;
}

/** `name@version` of every listed entry, by following the cursors. */
export async function listAllServers(url: string, limit = 30, token?: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Page = await findPage(url, { limit: String(limit), cursor }, token);
    found.push(...listServerNames(page));
    cursor = page.metadata.nextCursor;
  }
  return found;
}

export function listServerNames({ servers }: Page): string[] {
  return servers.map(({ server: { name, version } }) => `${name}@${version}`);
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
