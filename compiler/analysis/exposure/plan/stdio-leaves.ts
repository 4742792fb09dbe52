/** The leaves of a program that a bridge runs: command, inputs and limits. */
import { availability, compareByRank, credential, destination, type Leaves, prefixLeaves } from './leaf.ts';
import { SECRET_SOURCE_LEAVES } from './token-provider-leaves.ts';

export const STDIO_LEAVES: Leaves = {
  '': destination(),
  '.command': destination(),
  '.args': destination(),
  '.workingDir': destination(),
  '.env[]': credential(),
  // If two variables have the same name, the later one wins.
  '.env[#]': credential(),
  '.env[].name': credential(),
  '.env[].value.type': credential(),
  '.env[].value.text': credential('digest'),
  ...prefixLeaves('.env[].value.from', SECRET_SOURCE_LEAVES),
  '.inheritEnv': credential(),
  // Sessions share one process, so callers see each other's state.
  '.isShared': compareByRank('access', [false, true]),
  '.maxProcesses': availability(),
  '.startTimeoutMs': availability(),
  '.requestTimeoutMs': availability(),
  '.idleTimeoutMs': availability(),
  '.maxMemoryBytes': availability(),
};
