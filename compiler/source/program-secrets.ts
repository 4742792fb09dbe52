/** Secrets in the clear among the variables and arguments of a program: by the form of a value, or by its name. */
import { isObject } from '#schemas';
import { holdsCredential } from './credential-text.ts';
import { isSecretName } from './secret-name.ts';
import type { Path } from './source-document.ts';

/** Kinds with variables or arguments for what runs. */
const WITH_PROGRAMS: ReadonlySet<string> = new Set(['MCPServer', 'MCPRemoteProxy', 'EmbeddingServer']);

/** Where these have variables. Each is a list of `name` and `value`. */
const VARIABLES: readonly Path[] = [['env'], ['resourceOverrides', 'proxyDeployment', 'env']];

const POD_TEMPLATE = 'podTemplateSpec';

/** What a pod template may have containers in. */
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

/** Where a container has arguments. */
const ARGUMENTS = ['command', 'args'];

/** Shorter ones stand for nothing yet, or are words. */
const LEAST_LENGTH = 8;

/** A path, an address without a credential, a number: says where a secret is, or how many tokens there may be. */
const PLAIN = /^(?:[./~]|[a-z][a-z0-9+.-]*:\/\/|\d+$)/i;

/** @returns paths that start with `spec`, to the `value` of a variable or to an argument, also of containers of a pod template */
export function programSecrets(kind: string, spec: unknown): Path[] {
  const own = WITH_PROGRAMS.has(kind)
    ? [...VARIABLES.flatMap(at => variables(spec, at)), ...given(spec, ['args'])]
    : [];
  const inContainers = containers(spec).flatMap(at => [
    ...variables(spec, [...at, 'env']),
    ...ARGUMENTS.flatMap(field => given(spec, [...at, field])),
  ]);
  return [...own, ...inContainers];
}

/** Does the path lead to an argument, not to a variable? */
export function isArgumentPath(path: Path): boolean {
  return typeof path.at(-1) === 'number' && ARGUMENTS.includes(String(path.at(-2)));
}

/** Does the path lead to the value of a variable? */
export function isVariablePath(path: Path): boolean {
  return path.at(-1) === 'value' && typeof path.at(-2) === 'number' && path.at(-3) === 'env';
}

/** Does the path lead into a container of a pod template? */
export function isContainerPath(path: Path): boolean {
  return path[1] === POD_TEMPLATE;
}

/** Where the containers of the pod template are. */
function containers(spec: unknown): Path[] {
  return CONTAINERS.flatMap(field => {
    const at = [POD_TEMPLATE, 'spec', field];
    return listAt(spec, at).map((_, index) => [...at, index]);
  });
}

/** The variables with secrets of a list. */
function variables(spec: unknown, at: Path): Path[] {
  return listAt(spec, at).flatMap((member, index): Path[] => {
    if (!isObject(member) || typeof member.value !== 'string') return [];
    return isSecret(String(member.name), member.value) ? [['spec', ...at, index, 'value']] : [];
  });
}

/** The arguments with secrets of a list. */
function given(spec: unknown, at: Path): Path[] {
  const list = listAt(spec, at);
  return list.flatMap((argument, index): Path[] => {
    if (typeof argument !== 'string') return [];
    const pair = /^--?([\w-]+)=(.*)$/s.exec(argument);
    const flag = pair?.[1] ?? flagBefore(list[index - 1], argument) ?? '';
    return isSecret(flag, pair?.[2] ?? argument) ? [['spec', ...at, index]] : [];
  });
}

/** The flag whose value the argument is; undefined where it is a flag itself, or none comes before it. */
function flagBefore(before: unknown, argument: string): string | undefined {
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
