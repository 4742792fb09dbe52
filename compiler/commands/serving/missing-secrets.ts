/**
 * Finds secrets that are missing on this machine before the runtime and the bridge need them: their messages name files in a cluster, not
 * the place where an operator puts secrets on this machine.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { SecretSource } from '#schemas';
import type { Compilation } from '../../compile/compilation.ts';
import { escapeUnprintable } from '../../diagnostics/render/printable.ts';
import { ENV, ENV_EXAMPLE } from '../../starter/project-files.ts';
import type { ChosenBundle } from '../choose-bundle.ts';

/** Names of environment variables for the secrets of what is served. */
export interface MissingSecrets {
  /** The secrets without which nothing can be served, each with its purpose. */
  readonly needed: readonly MissingSecret[];
  /** The secrets without which a single stdio server does not start. */
  readonly ofServers: readonly MissingSecretOfServer[];
}

export interface MissingSecret {
  readonly variable: string;
  readonly use: string;
}

interface MissingSecretOfServer extends MissingSecret {
  readonly server: string;
}

/** The missing secrets of a gateway. A registry server reports its missing secrets itself, for each source. */
export function findMissingSecrets({ gateways }: Compilation, { kind, name }: ChosenBundle): MissingSecrets {
  const chosen = gateways.find(({ object }) => `${object.namespace}/${object.name}` === name);
  const bundle = kind === 'gateway' ? chosen?.bundle : undefined;
  const servers = (bundle?.backends ?? []).flatMap(({ name: server, stdio }) =>
    (stdio?.env ?? []).flatMap(({ name: variable, value }) =>
      value.type === 'secret' ? [{ ...value.from, use: `${variable} of ${server}`, server }] : [],
    ),
  );
  return {
    needed: (bundle?.secrets ?? []).flatMap(secret => {
      const variable = findMissingVariable(secret);
      return variable === undefined ? [] : [{ variable, use: secret.use }];
    }),
    ofServers: servers.flatMap(({ server, use, ...from }) => {
      const variable = findMissingVariable(from);
      return variable === undefined ? [] : [{ variable, use, server }];
    }),
  };
}

/** The variable that could provide a secret. Undefined when the secret exists, or only a file could provide it. */
function findMissingVariable(source: SecretSource): string | undefined {
  return source.env === null || isOnMachine(source) ? undefined : source.env;
}

/** Whether the value is in the environment, or in a file of this machine. */
export function isOnMachine({ env, file }: SecretSource): boolean {
  return (env !== null && (process.env[env] ?? '') !== '') || (file !== null && existsSync(file));
}

/**
 * Names all missing secrets, each on a line of its own if there are several, and says what to do.
 *
 * @param dotenv files of variables that were loaded and lack the secrets
 * @param again what the operator does next, such as `start this`
 */
export function formatMissing(
  secrets: readonly MissingSecret[],
  dotenv: readonly string[] = [],
  again = 'start this',
): string {
  const lines = secrets.map(({ variable, use }) => escapeUnprintable(`${variable} (${use})`));
  const remedy = formatRemedy(secrets, dotenv, again);
  return secrets.length === 1
    ? `a secret is missing: ${lines[0]}; ${remedy}`
    : `secrets are missing: ${remedy}\n${lines.map(line => `  ${line}`).join('\n')}`;
}

/** The part of the message of `formatMissing` that says what to do. */
export function formatRemedy(secrets: readonly MissingSecret[], dotenv: readonly string[], again: string): string {
  const them = secrets.length === 1 ? 'it' : 'them';
  const file = dotenv.at(-1) ?? ENV;
  const filled = readFilledVariables(file);
  const isFilled = secrets.every(({ variable }) => filled?.has(variable) === true);
  if (isFilled) return `${file} has ${them}, so ${again} with --dotenv ${file}`;
  if (filled !== undefined) return `write ${them} into ${file}, and ${again} with --dotenv ${file}`;
  return existsSync(ENV_EXAMPLE)
    ? `copy ${ENV_EXAMPLE} to ${ENV}, write ${them} there, and ${again} with --dotenv ${ENV}`
    : `set ${them} in the environment, or write ${them} into a file as NAME=value and give that with --dotenv`;
}

/** The variables of a file that have a value; undefined when the file does not exist. */
function readFilledVariables(file: string): ReadonlySet<string> | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const variables = Object.entries(parseEnv(readFileSync(file, 'utf8')));
    return new Set(variables.flatMap(([name, value]) => (value === '' ? [] : [name])));
  } catch {
    return new Set();
  }
}
