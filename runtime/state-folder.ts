import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { GatewayBundle, RegistryBundle } from '#schemas';

/**
 * The folder for a server's data that outlives a restart: below the requested folder, or below the user's folder for program state (XDG base
 * directories). Undefined for a user without a home folder.
 */
export function findStateFolder(
  requested: string | undefined,
  { kind, namespace, name }: Pick<GatewayBundle | RegistryBundle, 'kind' | 'namespace' | 'name'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const base = requested === undefined ? findUserState(kind, env) : resolve(requested);
  return base === undefined ? undefined : join(base, namespace, name);
}

function findUserState(
  kind: string,
  { XDG_STATE_HOME: state, HOME: home }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  // The standard requires that relative paths are ignored.
  const own = state !== undefined && isAbsolute(state) ? state : joinHome(home ?? findHome());
  return own === undefined ? undefined : join(own, 'lintel', kind);
}

function joinHome(home: string | undefined): string | undefined {
  return home !== undefined && isAbsolute(home) ? join(home, '.local', 'state') : undefined;
}

/** A container may run as a user without an entry in the user database. */
function findHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
