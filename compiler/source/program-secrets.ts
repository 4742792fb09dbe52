/** Finds plain-text secrets in a program's variables and arguments, by the form of the value or by its name. */
import { isObject } from '#schemas';
import { holdsCredential } from './credential-text.ts';
import { isSecretName } from './secret-name.ts';
import type { Path } from './source-document.ts';

/** Kinds with variables or arguments of a program. */
const WITH_PROGRAMS: ReadonlySet<string> = new Set(['MCPServer', 'MCPRemoteProxy', 'EmbeddingServer']);

/** Paths of variables. Each is a list of `name` and `value`. */
const VARIABLES: readonly Path[] = [['env'], ['resourceOverrides', 'proxyDeployment', 'env']];

const POD_TEMPLATE = 'podTemplateSpec';

/** Paths of containers in a pod template. */
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

/** Paths of arguments in a container. */
const ARGUMENTS = ['command', 'args'];

/** Shorter values are placeholders or words. */
const LEAST_LENGTH = 8;

/** A path, an address without credentials, or a number: such a value tells where a secret is, or counts tokens. */
const PLAIN = /^(?:[./~]|[a-z][a-z0-9+.-]*:\/\/|\d+$)/i;

/** @returns paths from `spec` to the `value` of a variable or to an argument, including those of containers in a pod template */
export function listProgramSecrets(kind: string, spec: unknown): Path[] {
  const own = WITH_PROGRAMS.has(kind)
    ? [...VARIABLES.flatMap(at => listVariables(spec, at)), ...listArguments(spec, ['args'])]
    : [];
  const inContainers = listContainers(spec).flatMap(at => [
    ...listVariables(spec, [...at, 'env']),
    ...ARGUMENTS.flatMap(field => listArguments(spec, [...at, field])),
  ]);
  return [...own, ...inContainers];
}

/** Whether the path leads to an argument rather than a variable. */
export function isArgumentPath(path: Path): boolean {
  return typeof path.at(-1) === 'number' && ARGUMENTS.includes(String(path.at(-2)));
}

/** Whether the path leads to the value of a variable. */
export function isVariablePath(path: Path): boolean {
  return path.at(-1) === 'value' && typeof path.at(-2) === 'number' && path.at(-3) === 'env';
}

/** Whether the path leads into a container of a pod template. */
export function isContainerPath(path: Path): boolean {
  return path[1] === POD_TEMPLATE;
}

/** Paths of the pod template's containers. */
function listContainers(spec: unknown): Path[] {
  return CONTAINERS.flatMap(field => {
    const at = [POD_TEMPLATE, 'spec', field];
    return listAt(spec, at).map((_, index) => [...at, index]);
  });
}

/** The secret variables of a list. */
function listVariables(spec: unknown, at: Path): Path[] {
  return listAt(spec, at).flatMap((member, index): Path[] => {
    if (!isObject(member) || typeof member.value !== 'string') return [];
    return isSecret(String(member.name), member.value) ? [['spec', ...at, index, 'value']] : [];
  });
}

/** The secret arguments of a list. */
function listArguments(spec: unknown, at: Path): Path[] {
  const list = listAt(spec, at);
  return list.flatMap((argument, index): Path[] => {
    if (typeof argument !== 'string') return [];
    const pair = /^--?([\w-]+)=(.*)$/s.exec(argument);
    const flag = pair?.[1] ?? findFlagBefore(list[index - 1], argument) ?? '';
    return isSecret(flag, pair?.[2] ?? argument) ? [['spec', ...at, index]] : [];
  });
}

/** The flag that the argument is the value of; undefined for a flag itself, and without a preceding flag. */
function findFlagBefore(before: unknown, argument: string): string | undefined {
  if (argument.startsWith('-') || typeof before !== 'string') return undefined;
  return /^--?([\w-]+)$/.exec(before)?.[1];
}

function isSecret(name: string, value: string): boolean {
  if (holdsCredential(value)) return true;
  // `$(NAME)` refers to a variable.
  return isSecretName(name) && value.length >= LEAST_LENGTH && !value.includes('$(') && !PLAIN.test(value);
}

function listAt(spec: unknown, at: Path): readonly unknown[] {
  let value = spec;
  for (const step of at) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return [];
  }
  return Array.isArray(value) ? value : [];
}
