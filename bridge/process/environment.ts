/** The environment of a program: the few variables of the bridge that an allow-list names, and the variables of the program's spec. */
import { readFileSync } from 'node:fs';
import type { SecretSource, StdioPlan } from '#schemas';

/**
 * Variables that every program inherits if the bridge has them: user, home, search path and language. Programs inherit no other variable, because the
 * environment may contain the secrets of other programs.
 */
export const ALWAYS_INHERITED: readonly string[] = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
];

/**
 * Variables that say how to reach the network. Without them a command that downloads its server, such as `npx`, waits forever behind a company's
 * proxy. They hold paths and addresses; a proxy whose address contains a password is left out.
 */
const REACHING = ['CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'SSL_CERT_DIR', 'SSL_CERT_FILE'];
const PROXIES = ['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap(name => [name, name.toLowerCase()]);

/** The beginning of a value that a shell would execute when it imports the variable (CVE-2014-6271). No program gets such a variable. */
const SHELL_FUNCTION = '()';

/** A required secret is missing. The message names the file and the variable where it was expected, never a value. */
export class MissingSecretError extends Error {}

export interface ProgramEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Values that must not appear in a log, by the names of the variables that contain them. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly args: readonly string[];
}

/**
 * @param own environment of the bridge
 * @throws MissingSecretError
 */
export function buildEnvironment(
  { args, env, inheritEnv }: Pick<StdioPlan, 'args' | 'env' | 'inheritEnv'>,
  own: Readonly<Record<string, string | undefined>>,
): ProgramEnvironment {
  const proxies = PROXIES.filter(name => own[name]?.includes('@') === false);
  const inherited = [...ALWAYS_INHERITED, ...REACHING, ...proxies, ...inheritEnv].flatMap(name => {
    const value = own[name];
    return value === undefined || value.startsWith(SHELL_FUNCTION) ? [] : [[name, value] as const];
  });
  const secrets = new Map<string, string>();
  const inheritedEntries = env.map(({ name, value }) => {
    if (value.type === 'text') return [name, value.text] as const;
    const secret = readSecret(name, value.from, own);
    secrets.set(name, secret);
    return [name, secret] as const;
  });
  const named = new Map(inheritedEntries);
  return {
    variables: Object.fromEntries([...inherited, ...inheritedEntries]),
    secrets,
    args: args.map(arg => expandVariables(arg, named)),
  };
}

/**
 * Expands `$(NAME)` as Kubernetes does in arguments: a reference to an unset name stays unchanged.
 *
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
 */
function expandVariables(arg: string, variables: ReadonlyMap<string, string>): string {
  return arg.replace(/\$(?:(\$)|\(([A-Za-z_][A-Za-z0-9_]*)\))/g, (whole, dollar?: string, name = '') =>
    dollar === undefined ? (variables.get(name) ?? whole) : '$',
  );
}

/** Reads a secret. A file that exists is preferred to a variable. One line break at its end is not part of the secret. */
function readSecret(
  name: string,
  { env, file }: SecretSource,
  own: Readonly<Record<string, string | undefined>>,
): string {
  const problems: string[] = [];
  if (file !== null) {
    try {
      return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      problems.push(`file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
    }
  }
  if (env !== null) {
    const value = own[env];
    if (value !== undefined && value !== '') return value;
    problems.push(`environment variable ${env} is ${value === '' ? 'empty' : 'not set'}`);
  }
  throw new MissingSecretError(`the secret for ${name} is missing: ${problems.join(', and ')}`);
}
