/** `lintel connect`: prints the entry for a gateway in a client's configuration, or writes it into the client's file. */

import { isAbsolute } from 'node:path';
import {
  type ClientId,
  type Connection,
  formatToml,
  isIgnoredByGit,
  KNOWN_CLIENTS,
  type KnownClient,
  listJsonNames,
  listTomlNames,
  mergeItem,
  mergeJson,
  mergeToml,
  replaceWithBackup,
} from '../connect/index.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { findSignIn } from '../doctor/index.ts';
import { readOwnText } from '../source/read-own-text.ts';
import { findUrlSecret } from '../starter/url-secret.ts';
import { formatList } from '../text/describe.ts';
import { findUrlProblem } from '../text/url-problem.ts';
import { UsageError } from '../usage-error.ts';

export interface ConnectOptions {
  readonly url: string;
  readonly name: string;
  /** Name of the environment variable that contains the token. */
  readonly tokenVariable?: string;
  /** The file to change, if it is not the default file of the client. */
  readonly file?: string;
  readonly write?: boolean;
  /** Whether an existing entry of that name is replaced. */
  readonly force?: boolean;
}

/**
 * Writes the entry to standard output, or into the file of the client. Returns the exit code.
 *
 * @throws UsageError for a feature that the client lacks, and for a file that must not be changed
 */
export async function connect(client: ClientId, options: ConnectOptions): Promise<number> {
  const { url, name, tokenVariable, write = false, force = false } = options;
  const problem = findUrlProblem(url);
  if (problem !== undefined) throw new UsageError(`--url: this is not an http or https URL: ${problem}`);
  const secret = findUrlSecret(url, new Set(['path']));
  if (secret !== undefined) throw new UsageError(`--url: ${secret}`);
  if (tokenVariable !== undefined && !/^[A-Za-z_]\w*$/.test(tokenVariable))
    throw new UsageError(
      '--token-env takes the name of a variable, such as GATEWAY_TOKEN; write no token here, because other users of this machine can see it',
    );
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name))
    throw new UsageError('--name: clients take letters, digits, hyphens and underscores, the first a letter');
  if (client === 'inspector') return formatInspector(url, write || options.file !== undefined);
  const known = KNOWN_CLIENTS[client];
  if (tokenVariable !== undefined && !known.hasVariables)
    throw new UsageError(
      `${known.title} has no variables in its file, and a token does not belong there: leave --token-env out, and the client signs people in`,
    );
  const connection = { name, url, tokenVariable };
  const file = options.file ?? known.file;
  if (file === undefined) throw new Error(`${known.title} has no file`);
  if (!write) {
    process.stdout.write(mergeEntry(known, '', file, connection, false));
    process.stderr.write(`lintel: the entry belongs into ${file} of ${known.title}; --write writes it there\n`);
    process.stderr.write(await describeSignIn(known, connection));
    return 0;
  }
  // A relative path refers to the current folder.
  const location = isAbsolute(file) ? file : `${file} in ${process.cwd()}`;
  const before = readOwnText(file);
  const after = mergeEntry(known, before, file, connection, force);
  if (after === before) process.stdout.write(`${location} has this entry already\n`);
  else process.stdout.write(`wrote ${location}${describeBackup(await replaceWithBackup(file, after))}\n`);
  process.stdout.write(describeOtherServers(known, file, after, connection));
  process.stderr.write(await describeSignIn(known, connection));
  return 0;
}

/** Time for each answer of the gateway; milliseconds. */
const ANSWER_MS = 2_000;

/** What the person has to do besides the entry, if the gateway runs and demands a token. */
async function describeSignIn(client: KnownClient, { url, name, tokenVariable }: Connection): Promise<string> {
  if (tokenVariable !== undefined) return '';
  const signIn = await findSignIn(new URL(url), ANSWER_MS);
  if (signIn === 'browser') return `lintel: the gateway asks people to sign in: ${client.signIn(name)}\n`;
  const remedy = client.hasVariables
    ? 'give --token-env the name of a variable with a token'
    : `${client.title} cannot send a token from a variable`;
  return signIn === 'token'
    ? `lintel: the gateway demands a token, and does not say where clients get it: ${remedy}\n`
    : '';
}

function describeBackup(backup: string | undefined): string {
  if (backup === undefined) return '';
  const advice = isIgnoredByGit(backup) === false ? ', so keep it out of Git' : '';
  return `; the previous content is in ${backup}: it may contain secrets${advice}`;
}

/**
 * Names the other servers in the client's file. The client reaches them without the gateway, and shows their tools twice if the gateway has them as
 * well.
 */
function describeOtherServers(client: KnownClient, file: string, text: string, connection: Connection): string {
  const { path } = client.entry(connection);
  const [table = '', own = ''] = path;
  const names = client.format === 'toml' ? listTomlNames(file, text, table) : listJsonNames(file, text, table);
  const others = names.filter(name => name !== own).map(escapeUnprintable);
  if (others.length === 0) return '';
  const title = others.length === 1 ? 'Another server stays' : `${others.length} other servers stay`;
  return `${title} in it, which ${client.title} reaches without the gateway: ${formatList(others)}\nRemove the servers that are also behind the gateway: the client would have their tools twice, once without the gateway's policies.\n`;
}

function mergeEntry(client: KnownClient, before: string, file: string, connection: Connection, force: boolean): string {
  const entry = client.entry(connection);
  if (client.format === 'toml') return before === '' ? formatToml(entry) : mergeToml(file, before, entry);
  const merged = mergeJson(file, before, entry, force);
  const companion = client.companion?.(connection);
  return companion === undefined ? merged : mergeItem(file, merged, companion);
}

/** The MCP Inspector has no file: its command line takes the URL. */
function formatInspector(url: string, writesFile: boolean): number {
  if (writesFile)
    throw new UsageError(
      'MCP Inspector has no file to write to: run the command that `lintel connect inspector` prints',
    );
  process.stdout.write(`npx @modelcontextprotocol/inspector\n# then Transport Type: Streamable HTTP, URL: ${url}\n`);
  return 0;
}
