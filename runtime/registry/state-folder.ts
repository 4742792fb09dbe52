import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { RegistryBundle } from '#schemas';

/**
 * The folder of a registry server for what it read last from its sources: below the one that was asked for, or below where
 * programs keep their state for this user (XDG base directories). Undefined for a user without a home.
 */
export function stateFolder(
  asked: string | undefined,
  { namespace, name }: Pick<RegistryBundle, 'namespace' | 'name'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const base = asked === undefined ? userState(env) : resolve(asked);
  return base === undefined ? undefined : join(base, namespace, name);
}

function userState({
  XDG_STATE_HOME: state,
  HOME: home,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  // A relative one is to be ignored, says the standard.
  const own = state !== undefined && isAbsolute(state) ? state : below(home ?? homeOfUser());
  return own === undefined ? undefined : join(own, 'lintel', 'registry');
}

function below(home: string | undefined): string | undefined {
  return home !== undefined && isAbsolute(home) ? join(home, '.local', 'state') : undefined;
}

/** A container may run as a user that no list of users has. */
function homeOfUser(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
