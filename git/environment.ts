/** How git is run: what it may do is written here, and nothing of the machine or of a repository adds to it. */
import { delimiter } from 'node:path';

/** The kinds of addresses; all others (`ext::`, `git:`) are refused by git itself as well. */
export type GitScheme = 'file' | 'http' | 'https' | 'ssh';

const SETTINGS: Readonly<Record<string, string>> = {
  'protocol.allow': 'never',
  // Nothing that a repository or a template brings is run.
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'credential.helper': '',
  'core.askPass': '',
  // A redirect could take credentials to another host, or the server into the network that it stands in.
  'http.followRedirects': 'false',
  // A reading that is no longer awaited, because its server was killed, ends by itself. Bytes in a second; seconds.
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': '60',
  // Other places that a server could send git to.
  'transfer.bundleURI': 'false',
  'fetch.recurseSubmodules': 'false',
  'submodule.recurse': 'false',
  // Always one pack, whose growth can be watched, in one thread; files are streamed into it.
  'fetch.unpackLimit': '1',
  'pack.threads': '1',
  'core.bigFileThreshold': '1m',
  // No process that outlives the command.
  'gc.auto': '0',
  'maintenance.auto': 'false',
};

/** The options that stand before the command. */
export function globalOptions(scheme: GitScheme): string[] {
  const settings = { ...SETTINGS, [`protocol.${scheme}.allow`]: 'always' };
  return ['--no-pager', ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Variables of the server's environment that git gets: where git is, and which certificates it trusts. */
const PASSED_ON = ['PATH', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'] as const;

export interface GitLocation {
  readonly scheme: GitScheme;
  /** Home of the process, without settings, keys or a `.netrc`; absolute. */
  readonly home: string;
  /** The repository, whether it is there already or not: git looks for no other, such as one around `home`. */
  readonly repository: string;
  /** Limit on one piece of memory, in bytes. */
  readonly allocationBytes: number;
}

/** What one command is given besides that, out of sight of others: every user of the machine can list the arguments. */
export interface GitAdditions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The whole environment of a git process. */
export function gitEnvironment(
  { scheme, home, repository, allocationBytes }: GitLocation,
  { settings = {}, env = {} }: GitAdditions = {},
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const entries = Object.entries(settings);
  return {
    ...Object.fromEntries(PASSED_ON.flatMap(name => (own[name] === undefined ? [] : [[name, own[name]]]))),
    PATH: absolutePath(own.PATH),
    HOME: home,
    TMPDIR: home,
    // Messages are recognized by their text.
    LC_ALL: 'C',
    GIT_DIR: repository,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: scheme,
    GIT_TERMINAL_PROMPT: '0',
    // Empty: none, and not that of a desktop either.
    GIT_ASKPASS: '',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOC_LIMIT: String(allocationBytes),
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...env,
  };
}

/** A relative entry would be looked up in the folder that git runs in. */
function absolutePath(path = ''): string {
  return path
    .split(delimiter)
    .filter(entry => entry.startsWith('/'))
    .join(delimiter);
}
