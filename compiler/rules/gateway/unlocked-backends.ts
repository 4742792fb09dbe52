import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * A backend outside of the catalog is not checked, which users of a catalog should know.
 *
 * @holds config.aggregation, backends | (backends) | are in the tool lock, when there is one | LNT3001 | `rules/gateway/tool-references`
 */
export function unlockedBackends({ catalog, backends }: GatewayModel): Diagnostic[] {
  // A broken catalog has its own findings.
  if (catalog?.isWhole !== true) return [];
  return backends
    .filter(({ locked }) => locked === undefined)
    .map(({ name, origin }) => {
      const message = `backend "${name}" is not in ${catalog.file}: nothing that depends on its tools is checked`;
      const details = { severity: 'hint', fix: 'run "lintel lock"' } as const;
      return diagnose(origin.resource.document, 'LNT3001', origin.path, message, details);
    });
}
