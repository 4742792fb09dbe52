/** One server of the command line, with the whole environment of the bridge: in a container, that is the server's own. */
import type { BridgeConfig, StdioPlan } from '#schemas';
import { findCommand, OptionError } from '#util';
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

/** What is given by other means. */
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
  const given = plan === undefined ? {} : parseObject(plan);
  const taken = TAKEN.find(member => Object.hasOwn(given, member));
  if (taken !== undefined) throw new OptionError(`--plan: ${taken} is what the command line and the environment say`);
  // Names that are no names of variables would be refused; no program gets them.
  const names = Object.keys(env).filter(name => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  // The bridge expands $(NAME) in configurations. Here the shell or Kubernetes has expanded the command line already.
  const literal = args.map(arg => arg.replaceAll('$', () => '$$'));
  return readConfig(
    JSON.stringify({ servers: { [key]: { ...DEFAULTS, ...given, command, args: literal, inheritEnv: names.sort() } } }),
  );
}

/**
 * Fails at the start rather than with the first session, where the command is not there: nothing will put it there later.
 *
 * @throws OptionError
 */
export function requireCommand({ servers }: BridgeConfig, folder: string, path: string): void {
  for (const { command, workingDir } of Object.values(servers)) {
    if (findCommand(command, workingDir ?? folder, path) !== undefined) continue;
    const where = command.includes('/') ? `there is no program ${command}` : `there is no program ${command} on PATH`;
    const seen = command.includes('/') ? '' : ` (${path})`;
    throw new OptionError(`${where}${seen}: name one that is there, and that may be run by this user`);
  }
}

function parseObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // As below.
  }
  throw new OptionError('--plan is no JSON object');
}
