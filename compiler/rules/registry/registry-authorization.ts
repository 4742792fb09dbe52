import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';

/**
 * Reports claims and roles without effect: anonymous mode has none, and without `auth.authz` they are not evaluated.
 *
 * @holds Registry server | `auth.authz` | set in mode `oauth`; without it every caller may do everything | LNT8002
 * @holds Registry server | `auth.authz`, `claims` | not set in mode `anonymous` | LNT8003
 */
export function registryAuthorization(registry: RegistryDocument): Diagnostic[] {
  const { document, config } = registry;
  const { mode, authz } = config.auth;
  if (mode === 'anonymous') {
    return [...(authz === undefined ? [] : [['auth', 'authz'] as Path]), ...listClaimed(registry)].map(path =>
      diagnose(document, 'LNT8003', path, `${path.at(-1)} has no effect: the mode is anonymous`, { at: 'key' }),
    );
  }
  if (authz !== undefined) return [];
  const message = 'there is no auth.authz, so every caller with a valid token has all roles and sees everything';
  return [
    diagnose(document, 'LNT8002', ['auth'], message, { at: 'key' }),
    ...listClaimed(registry).map(path =>
      diagnose(document, 'LNT8002', path, 'claims has no effect: there is no auth.authz', { at: 'key' }),
    ),
  ];
}

function listClaimed({ config }: RegistryDocument): Path[] {
  return (['sources', 'registries'] as const).flatMap(section =>
    config[section].flatMap(({ claims }, index) => (claims === undefined ? [] : [[section, index, 'claims']])),
  );
}
