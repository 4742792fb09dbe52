/** How Git runs: this file defines its permissions, and no setting of the machine or of a repository extends them. */
import { delimiter } from 'node:path';

/** Allowed URL schemes; Git itself refuses all others (`ext::`, `git:`). */
export type GitScheme = 'file' | 'http' | 'https' | 'ssh';

const SETTINGS: Readonly<Record<string, string>> = {
  'protocol.allow': 'never',
  // Hooks of a repository or template never run.
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'credential.helper': '',
  'core.askPass': '',
  // A redirect could send credentials to another host, or the server's request into an internal network.
  'http.followRedirects': 'false',
  // A transfer whose caller was killed ends by itself. Bytes per second; seconds.
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': '60',
  // The server must not refer Git to other locations.
  'transfer.bundleURI': 'false',
  'fetch.recurseSubmodules': 'false',
  'submodule.recurse': 'false',
  // Git writes a single pack, whose growth can be watched, uses one thread, and streams large files into the pack.
  'fetch.unpackLimit': '1',
  'pack.threads': '1',
  'core.bigFileThreshold': '1m',
  // No process may outlive the command.
  'gc.auto': '0',
  'maintenance.auto': 'false',
};

/** Options before the command name. */
export function listGlobalOptions(scheme: GitScheme): string[] {
  const settings = { ...SETTINGS, [`protocol.${scheme}.allow`]: 'always' };
  return ['--no-pager', ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Inherited environment variables: where Git is, and which certificates it trusts. */
const PASSED_ON = ['PATH', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'] as const;

export interface GitLocation {
  readonly scheme: GitScheme;
  /** Absolute home folder of the process, without settings, keys or a `.netrc`. */
  readonly home: string;
  /** The repository, existing or not: Git must not find another one, such as one around `home`. */
  readonly repository: string;
  /** Maximum size of one memory allocation, in bytes. */
  readonly allocationBytes: number;
}

/** Additional data for one command. It is not passed as arguments, because every user of the machine can list those. */
export interface GitAdditions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The whole environment of a git process. */
export function buildGitEnvironment(
  { scheme, home, repository, allocationBytes }: GitLocation,
  { settings = {}, env = {} }: GitAdditions = {},
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const entries = Object.entries(settings);
  return {
    ...Object.fromEntries(PASSED_ON.flatMap(name => (own[name] === undefined ? [] : [[name, own[name]]]))),
    PATH: toAbsolutePath(own.PATH),
    HOME: home,
    TMPDIR: home,
    // Messages are matched by text, so they must not be translated.
    LC_ALL: 'C',
    GIT_DIR: repository,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: scheme,
    GIT_TERMINAL_PROMPT: '0',
    // An empty value prevents every prompt, also that of a desktop.
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

/** The absolute entries of a search path: a relative entry would be resolved in Git's working folder. */
function toAbsolutePath(path = ''): string {
  return path
    .split(delimiter)
    .filter(entry => entry.startsWith('/'))
    .join(delimiter);
}
