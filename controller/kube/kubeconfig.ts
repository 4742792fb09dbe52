/**
 * Reads the configuration files of kubectl.
 *
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '#schemas';
import { describeFileError } from '#shared/util';
import { toBearer } from './bearer.ts';
import type { Clock } from './clock.ts';
import type { ApiCredentials, KubeConfig } from './config.ts';
import { KubeConfigError } from './config-error.ts';
import { ExecCredential, type ExecPlugin } from './exec-credential.ts';
import { type FileRules, ReloadingFile } from './reloading-file.ts';

/** A map in a configuration file. Paths in it are relative to that file, and messages name the file. */
interface KubeconfigEntry {
  readonly file: string;
  readonly at: string;
  readonly fields: JsonObject;
}

/**
 * Reads the current context of one or several files; the first file that has a value wins.
 *
 * @param rules for the API server's certificate authorities
 * @throws KubeConfigError
 */
export async function readKubeconfig(paths: readonly string[], clock: Clock, rules: FileRules): Promise<KubeConfig> {
  const files = await Promise.all(paths.map(readFields));
  const names = paths.join(', ');
  const current = files.map(({ fields }) => fields['current-context']).find(name => name !== undefined && name !== '');
  if (typeof current !== 'string') throw new KubeConfigError(`${names}: current-context is not set`);
  const context = findEntry(files, names, 'contexts', 'context', current);
  const cluster = findEntry(files, names, 'clusters', 'cluster', requireText(context, 'cluster'));
  const user = findEntry(files, names, 'users', 'user', requireText(context, 'user'));

  const server = readServer(cluster);
  const isInsecure = cluster.fields['insecure-skip-tls-verify'] === true;
  const authorities = createPemReader(cluster, 'certificate-authority', clock, rules);
  await authorities?.();
  if (isInsecure && authorities !== undefined) {
    throw new KubeConfigError(
      `${cluster.at}: insecure-skip-tls-verify and a certificate-authority exclude each other: remove one of the two`,
    );
  }
  const { credentials, forget } = createCredentials(user, cluster, clock);
  return {
    server,
    namespace: getText(context, 'namespace') ?? 'default',
    serverName: getText(cluster, 'tls-server-name'),
    isInsecure,
    proxyUrl: readProxy(cluster),
    warnings: [
      ...(isInsecure
        ? [`${cluster.at}: insecure-skip-tls-verify: an attacker on the network can read and change the traffic`]
        : []),
      ...(server.startsWith('http:')
        ? [`${cluster.at}.server: plain http: an attacker on the network can read and change the traffic`]
        : []),
    ],
    authorities: async () => await authorities?.(),
    credentials,
    forget,
  };
}

async function readFields(path: string): Promise<KubeconfigEntry> {
  const file = resolve(path);
  let source: string;
  try {
    source = await readFile(file, 'utf8');
  } catch (error) {
    throw new KubeConfigError(
      `${path}: cannot be read: ${describeFileError(error)}; --kubeconfig or KUBECONFIG names the file`,
    );
  }
  let fields: unknown;
  try {
    fields = parse(source);
  } catch (error) {
    // The library's own message would quote the line, which may contain a token.
    const { linePos } = error as { linePos?: readonly { readonly line: number }[] };
    const where = linePos?.[0] === undefined ? '' : ` in line ${linePos[0].line}`;
    throw new KubeConfigError(`${path}: not YAML${where}`);
  }
  if (!isObject(fields))
    throw new KubeConfigError(
      `${path}: is not a kubeconfig: expected a map; --kubeconfig or KUBECONFIG names the file`,
    );
  return { file, at: path, fields };
}

/** The named entry of one of the three lists. */
function findEntry(
  files: readonly KubeconfigEntry[],
  names: string,
  list: string,
  member: string,
  name: string,
): KubeconfigEntry {
  for (const { file, at, fields } of files) {
    const entries = fields[list];
    if (!Array.isArray(entries)) continue;
    const index = entries.findIndex(found => isObject(found) && found.name === name);
    if (index === -1) continue;
    const found = (entries[index] as JsonObject)[member];
    return { file, at: `${at}: ${list}[${index}].${member}`, fields: isObject(found) ? found : {} };
  }
  throw new KubeConfigError(`${names}: there is no ${member} named "${name}" in ${list}`);
}

function getText({ at, fields }: KubeconfigEntry, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new KubeConfigError(`${at}.${name}: expected a text`);
  return value;
}

function requireText(entry: KubeconfigEntry, name: string): string {
  const value = getText(entry, name);
  if (value === undefined) throw new KubeConfigError(`${entry.at}.${name}: is missing`);
  return value;
}

function readServer(cluster: KubeconfigEntry): string {
  const url = URL.parse(requireText(cluster, 'server'));
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !isHttp || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new KubeConfigError(`${cluster.at}.server: expected an https URL without credentials and query`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function readProxy(cluster: KubeconfigEntry): string | undefined {
  const proxy = getText(cluster, 'proxy-url');
  if (proxy === undefined) return undefined;
  const protocol = URL.parse(proxy)?.protocol;
  if (protocol !== 'http:' && protocol !== 'https:') {
    // The refused value is not shown, because it may contain a password.
    throw new KubeConfigError(
      `${cluster.at}.proxy-url: expected an http or https URL; other proxies are not supported`,
    );
  }
  return proxy;
}

/** A reader for PEM that the configuration has either in a field, in base64, or in a file. If it has both, the field wins. */
function createPemReader(
  entry: KubeconfigEntry,
  name: string,
  clock: Clock,
  rules: FileRules = {},
): (() => Promise<string>) | undefined {
  const data = getText(entry, `${name}-data`);
  if (data !== undefined) {
    const decoded = Buffer.from(data, 'base64').toString('utf8');
    if (!decoded.includes('-----BEGIN ')) throw new KubeConfigError(`${entry.at}.${name}-data: expected PEM in base64`);
    const problem = rules.findProblem?.(decoded);
    if (problem !== undefined) throw new KubeConfigError(`${entry.at}.${name}-data ${problem}`);
    return async () => decoded;
  }
  const path = getText(entry, name);
  if (path === undefined) return undefined;
  const file = new ReloadingFile(resolve(dirname(entry.file), path), `${entry.at}.${name}`, clock, rules);
  return () => file.text();
}

interface CredentialSource {
  readonly credentials: () => Promise<ApiCredentials>;
  readonly forget: () => void;
}

function createCredentials(user: KubeconfigEntry, cluster: KubeconfigEntry, clock: Clock): CredentialSource {
  for (const name of ['auth-provider', 'username', 'as', 'as-uid', 'as-groups', 'as-user-extra']) {
    if (user.fields[name] !== undefined) {
      throw new KubeConfigError(`${user.at}.${name}: not supported; use a token, a client certificate or exec`);
    }
  }
  const certificate = createPemReader(user, 'client-certificate', clock);
  const key = createPemReader(user, 'client-key', clock);
  if ((certificate === undefined) !== (key === undefined)) {
    throw new KubeConfigError(`${user.at}: a client certificate and its key belong together; one is missing`);
  }
  const exec = user.fields.exec === undefined ? undefined : new ExecCredential(readPlugin(user, cluster), clock);
  const tokenFile = getText(user, 'tokenFile');
  const file =
    tokenFile === undefined
      ? undefined
      : new ReloadingFile(resolve(dirname(user.file), tokenFile), `${user.at}.tokenFile`, clock);
  const token = getText(user, 'token');
  return {
    async credentials() {
      return {
        ...(certificate === undefined || key === undefined
          ? {}
          : { certificate: await certificate(), key: await key() }),
        ...(token === undefined ? {} : { authorization: toBearer(token, `${user.at}.token`) }),
        // If the configuration has both a token and a token file, the file wins, as in kubectl, because the file is kept up to date.
        ...(file === undefined ? {} : { authorization: toBearer(await file.text(), `${user.at}.tokenFile`) }),
        ...(exec === undefined ? {} : await exec.get()),
      };
    },
    forget() {
      file?.forget();
      exec?.forget();
    },
  };
}

function readPlugin(user: KubeconfigEntry, cluster: KubeconfigEntry): ExecPlugin {
  const at = `${user.at}.exec`;
  const found = user.fields.exec;
  if (!isObject(found)) throw new KubeConfigError(`${at}: expected a map`);
  const exec: KubeconfigEntry = { file: user.file, at, fields: found };
  if (found.apiVersion !== 'client.authentication.k8s.io/v1') {
    throw new KubeConfigError(`${at}.apiVersion: only client.authentication.k8s.io/v1 is supported`);
  }
  if (found.interactiveMode === 'Always') {
    throw new KubeConfigError(
      `${at}.interactiveMode: the program must not ask questions, because the controller cannot answer them: remove Always`,
    );
  }
  const command = requireText(exec, 'command');
  const { args = [], env = [] } = found;
  if (args !== null && !(Array.isArray(args) && args.every(arg => typeof arg === 'string'))) {
    throw new KubeConfigError(`${at}.args: expected a list of texts`);
  }
  if (env !== null && !(Array.isArray(env) && env.every(pair => isObject(pair) && typeof pair.name === 'string'))) {
    throw new KubeConfigError(`${at}.env: expected a list of name and value`);
  }
  const { 'certificate-authority-data': data, 'insecure-skip-tls-verify': insecure } = cluster.fields;
  return {
    // A command with a slash is a path relative to the configuration file; any other command is searched in PATH.
    command: command.includes('/') ? resolve(dirname(user.file), command) : command,
    args: (args ?? []) as string[],
    env: Object.fromEntries(
      ((env ?? []) as JsonObject[]).map(({ name, value }) => [String(name), String(value ?? '')]),
    ),
    installHint: getText(exec, 'installHint'),
    cluster:
      found.provideClusterInfo === true
        ? {
            server: readServer(cluster),
            ...(data === undefined ? {} : { 'certificate-authority-data': data }),
            ...(insecure === true ? { 'insecure-skip-tls-verify': true } : {}),
          }
        : undefined,
    field: at,
  };
}
