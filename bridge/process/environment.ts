/** The environment of a program: a few variables of the bridge by an allow-list, and those of its spec. */
import { readFileSync } from 'node:fs';
import type { SecretSource, StdioPlan } from '#schemas';

/**
 * What every program gets, where the bridge has it: who and where the user is, how programs are found, and the language. No other
 * variable, since among them are the secrets of everything else.
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
 * How the network is reached from here. Without them a command that downloads its server, such as `npx`, waits without end behind a company's
 * proxy. They are paths and addresses; a proxy whose address has a password in it is left out.
 */
const REACHING = ['CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'SSL_CERT_DIR', 'SSL_CERT_FILE'];
const PROXIES = ['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap(name => [name, name.toLowerCase()]);

/** What a shell would run when it reads the variable (CVE-2014-6271): such values are not handed on. */
const SHELL_FUNCTION = '()';

/** A secret that is not there. The message names where it is looked for, never a value. */
export class MissingSecretError extends Error {}

export interface ProgramEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Values that must not get into a log, by the names of their variables. */
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
  const given = env.map(({ name, value }) => {
    if (value.type === 'text') return [name, value.text] as const;
    const secret = secretAt(name, value.from, own);
    secrets.set(name, secret);
    return [name, secret] as const;
  });
  const named = new Map(given);
  return {
    variables: Object.fromEntries([...inherited, ...given]),
    secrets,
    args: args.map(arg => expanded(arg, named)),
  };
}

/**
 * `$(NAME)` as Kubernetes expands it in arguments: a name that is not set stays as it is written.
 *
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
 */
function expanded(arg: string, variables: ReadonlyMap<string, string>): string {
  return arg.replace(/\$(?:(\$)|\(([A-Za-z_][A-Za-z0-9_]*)\))/g, (whole, dollar?: string, name = '') =>
    dollar === undefined ? (variables.get(name) ?? whole) : '$',
  );
}

/** A file goes before a variable, where it is there; one line break at its end is no part of it. */
function secretAt(
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
