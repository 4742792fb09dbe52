/** Client files with servers for a new gateway. */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { relative, resolve } from 'node:path';
import { GATEWAY_PORT } from '#schemas';
import type { ClientFile } from '../connect/index.ts';
import { UsageError } from '../usage-error.ts';
import { readImportedFile } from './detect.ts';
import type { FoundServer, FoundServers } from './found.ts';
import { type FoundFile, type ImportPlan, planImport } from './plan.ts';

export interface ClientServers {
  /** The displayed name, in a form that a person can type. */
  readonly file: string;
  readonly files: readonly FoundFile[];
  readonly plan: ImportPlan;
}

/** Why a file cannot be imported; undefined for one without servers. */
export interface Refusal {
  readonly file: string;
  readonly problem: string | undefined;
}

/** Reads the servers of those files that exist. */
export function readClientServers(
  files: readonly ClientFile[],
  folder: string,
  gateway: string,
): readonly ((ClientServers | Refusal) & Pick<ClientFile, 'client'>)[] {
  return files
    .filter(({ path }) => existsSync(path))
    .map(({ client, path }) => ({ client, ...readServersOfClient(path, folder, gateway) }));
}

/** @param folder of the new repository; Claude Code's own file may have servers for this folder */
export function readServersOfClient(path: string, folder: string, gateway: string): ClientServers | Refusal {
  const file = formatFile(path);
  let found: readonly FoundServers[];
  try {
    // The file is read by its displayed name, so that error messages show that name.
    found = readImportedFile(file.startsWith('~') ? path : file);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file, problem: error.message };
  }
  if (!found.every(({ isOfClient }) => isOfClient === true))
    return { file, problem: `${file} is the file of no client: \`lintel import\` reads it` };
  const files = found.map(foundServers => ({
    file,
    found: { ...foundServers, servers: foundServers.servers.filter(isFor(folder)).map(withoutGateway) },
  }));
  const plan = planImport(files, { taken: new Set([gateway]), plain: new Set() });
  if (plan.carried.length > 0) return { file, files, plan };
  const [first] = plan.notCarried;
  return { file, problem: first && `no server of ${file} can be carried over: ${first.place}: ${first.reason}` };
}

/** With `~` for the home folder. */
function formatFile(path: string): string {
  const here = relative(process.cwd(), path);
  if (!here.startsWith('..')) return here;
  const home = relative(homedir(), path);
  return home.startsWith('..') ? path : `~/${home}`;
}

/** Claude Code's servers for other folders do not apply here. */
function isFor(folder: string): (server: FoundServer) => boolean {
  const here = new Set([resolve(folder), existsSync(folder) ? realpathSync(folder) : '']);
  return ({ place: location }) => {
    const [, project] = /^projects\[("(?:[^"\\]|\\.)*")\]/.exec(location) ?? [];
    return project === undefined || here.has(JSON.parse(project) as string);
  };
}

const LOCAL_HOSTS = ['127.0.0.1', 'localhost'];

/** `lintel connect --write` may have added the gateway itself: a gateway in front of itself would recurse endlessly. */
function withoutGateway(server: FoundServer): FoundServer {
  const { outcome } = server;
  const isGateway =
    outcome.type === 'remote' &&
    LOCAL_HOSTS.some(host => outcome.remote.url.startsWith(`http://${host}:${GATEWAY_PORT}/`));
  return isGateway
    ? { ...server, outcome: { type: 'off', reason: 'it is where `lintel dev` serves the gateway' } }
    : server;
}
