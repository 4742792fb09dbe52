/**
 * The configuration for one server that is given on the command line. The server inherits the whole environment of the bridge: in a container, that
 * environment is the server's own.
 */
import { type BridgeConfig, isObject, type StdioPlan } from '#schemas';
import { findCommand, OptionError } from '#shared/util';
import { readConfig } from './read-config.ts';

/** What `--plan` may leave out. */
const DEFAULTS: Omit<StdioPlan, 'command' | 'args' | 'inheritEnv'> = {
  workingDir: null,
  env: [],
  isShared: false,
  maxProcesses: 16,
  startTimeoutMs: 5 * 60_000,
  requestTimeoutMs: 10 * 60_000,
  idleTimeoutMs: 5 * 60_000,
  maxMemoryBytes: 4 * 2 ** 30,
};

/** Members that other options set, so that `--plan` must not set them. */
const TAKEN = ['command', 'args', 'inheritEnv'];

/**
 * @param key `<namespace>/<name>`
 * @param words the command and its arguments, which are used as they are
 * @param plan JSON object with further members of the configuration of the server; undefined for none
 * @throws OptionError
 */
export function serveOne(
  key: string,
  [command = '', ...args]: readonly string[],
  plan: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): BridgeConfig {
  if (command === '') throw new OptionError('--serve needs the command of the server: write it behind --');
  const planOptions = plan === undefined ? {} : parseObject(plan);
  const taken = TAKEN.find(member => Object.hasOwn(planOptions, member));
  if (taken !== undefined)
    throw new OptionError(`--plan: ${taken} cannot be set here: the command line and the environment set it`);
  // Only variables with valid names: the bridge refuses a configuration with another name, and no program could read the variable.
  const names = Object.keys(env).filter(name => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  // The bridge expands $(NAME) in configurations. On the command line the shell or Kubernetes has already expanded it, so it is escaped.
  const literal = args.map(arg => arg.replaceAll('$', () => '$$'));
  return readConfig(
    JSON.stringify({
      servers: { [key]: { ...DEFAULTS, ...planOptions, command, args: literal, inheritEnv: names.sort() } },
    }),
  );
}

/**
 * Throws at the start if the command is missing, and not only with the first session: it will not appear later.
 *
 * @throws OptionError
 */
export function requireCommand({ servers }: BridgeConfig, folder: string, path: string): void {
  for (const { command, workingDir } of Object.values(servers)) {
    const absence = findAbsence(command, workingDir ?? folder, path);
    if (absence !== undefined)
      throw new OptionError(`${absence}: use a program that exists and that this user may run`);
  }
}

/**
 * Throws at the start if the shell is missing, without which no server starts.
 *
 * @throws OptionError
 */
export function requireShell([shell = '']: readonly string[], folder: string, path: string): void {
  const absence = findAbsence(shell, folder, path);
  if (absence !== undefined)
    throw new OptionError(`--shell: ${absence}: name a shell that exists and that this user may run, such as /bin/sh`);
}

/** A message that there is no program of this name; undefined when there is one. */
function findAbsence(command: string, folder: string, path: string): string | undefined {
  if (findCommand(command, folder, path) !== undefined) return undefined;
  return `there is no program ${command}${command.includes('/') ? '' : ` on PATH (${path})`}`;
}

function parseObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  throw new OptionError('--plan is not a JSON object');
}
