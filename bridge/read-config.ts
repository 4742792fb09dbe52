/** The configuration as text, written by Lintel's own programs or by an operator who runs a bridge alone. */
import { type BridgeConfig, isObject, type JsonObject, type StdioPlan } from '#schemas';
import { OptionError } from '#shared/util';

type Predicate = (value: unknown) => boolean;

const text: Predicate = value => typeof value === 'string';
const texts: Predicate = value => Array.isArray(value) && value.every(text);
const variable: Predicate = value => text(value) && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value as string);
const count: Predicate = value => Number.isSafeInteger(value) && (value as number) >= 1;
const textOrNull: Predicate = value => value === null || text(value);

/** The key of a server: `<namespace>/<name>`. It contains no character that has to be escaped in the path of a URL. */
const KEY = /^[a-z0-9.-]+\/[a-z0-9.-]+$/;

const MEMBERS: Readonly<Record<keyof StdioPlan, Predicate>> = {
  command: value => text(value) && value !== '',
  args: texts,
  workingDir: textOrNull,
  env: value => Array.isArray(value) && value.every(isVariable),
  inheritEnv: value => Array.isArray(value) && value.every(variable),
  isShared: value => typeof value === 'boolean',
  maxProcesses: count,
  startTimeoutMs: count,
  requestTimeoutMs: count,
  idleTimeoutMs: count,
  maxMemoryBytes: count,
};

/** @throws OptionError that names the place of a mistake, and never repeats the text there */
export function readConfig(json: string): BridgeConfig {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new OptionError('the configuration is not JSON');
  }
  const servers = toObject(toObject(value)?.servers);
  if (servers === undefined) throw new OptionError('the configuration has no object "servers"');
  for (const [key, plan] of Object.entries(servers)) {
    if (!KEY.test(key))
      throw new OptionError(`servers: ${JSON.stringify(key)} is not a <namespace>/<name> in lower case`);
    const members = toObject(plan) ?? {};
    for (const [member, check] of Object.entries(MEMBERS))
      if (!check(members[member]))
        throw new OptionError(`servers[${JSON.stringify(key)}].${member} is missing, or has the wrong type`);
    const unknown = Object.keys(members).find(member => !Object.hasOwn(MEMBERS, member));
    if (unknown !== undefined) throw new OptionError(`servers[${JSON.stringify(key)}].${unknown} is not known`);
  }
  return { servers } as unknown as BridgeConfig;
}

function isVariable(value: unknown): boolean {
  const { name, value: source } = toObject(value) ?? {};
  const { type, text: plain, from } = toObject(source) ?? {};
  if (!variable(name)) return false;
  if (type === 'text') return text(plain);
  const { env, file } = toObject(from) ?? {};
  return type === 'secret' && textOrNull(env) && textOrNull(file);
}

function toObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}
