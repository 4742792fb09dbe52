import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';

type RegistryClaims = { readonly [claim: string]: string | readonly string[] };

/**
 * Reports claims that no caller can have.
 *
 * @holds Registry server | `authz.roles`, `claims` | entries that a caller can match | LNT8004
 */
export function deadClaims({ document, config }: RegistryDocument): Diagnostic[] {
  const report = (path: Path, message: string) => diagnose(document, 'LNT8004', path, message);
  const withoutValues = (claims: RegistryClaims, path: Path): Diagnostic[] =>
    Object.entries(claims)
      .filter(([, values]) => values.length === 0)
      .map(([claim]) => report([...path, claim], `no value of the claim "${claim}" is allowed, so no caller matches`));
  const roles = Object.entries(config.auth.authz?.roles ?? {}).flatMap(([role, rules]) =>
    (rules as readonly RegistryClaims[]).flatMap((claims, index) => {
      const path = ['auth', 'authz', 'roles', role, index];
      if (Object.keys(claims).length === 0) return [report(path, `an empty entry of ${role} matches no caller`)];
      return withoutValues(claims, path);
    }),
  );
  const views = (['sources', 'registries'] as const).flatMap(section =>
    config[section].flatMap(({ claims }, index) =>
      claims === undefined ? [] : withoutValues(claims as RegistryClaims, [section, index, 'claims']),
    ),
  );
  return [...roles, ...views];
}
