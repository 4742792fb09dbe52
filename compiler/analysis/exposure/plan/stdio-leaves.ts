/** The leaves of a program that a bridge runs: command, inputs and limits. */
import { availability, compareByRank, destination, type Leaves, prefixLeaves } from './leaf.ts';
import { SECRET_SOURCE_LEAVES, secret } from './secret-leaves.ts';

export const STDIO_LEAVES: Leaves = {
  '': destination(),
  '.command': destination(),
  '.args': destination(),
  '.workingDir': destination(),
  '.env[]': secret(),
  // If two variables have the same name, the later one wins.
  '.env[#]': secret(),
  '.env[].name': secret(),
  '.env[].value.type': secret(),
  '.env[].value.text': secret('digest'),
  ...prefixLeaves('.env[].value.from', SECRET_SOURCE_LEAVES),
  '.inheritEnv': secret(),
  // Sessions share one process, so callers see each other's state.
  '.isShared': compareByRank('access', [false, true]),
  '.maxProcesses': availability(),
  '.startTimeoutMs': availability(),
  '.requestTimeoutMs': availability(),
  '.idleTimeoutMs': availability(),
  '.maxMemoryBytes': availability(),
};
