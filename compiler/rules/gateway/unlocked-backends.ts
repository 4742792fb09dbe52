import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** A backend that the catalog lacks is not checked; a user who keeps a catalog wants to know. */
export function unlockedBackends({ catalog, backends }: GatewayModel): Diagnostic[] {
  // A broken catalog has findings of its own; what it lacks because of them adds nothing.
  if (catalog?.isWhole !== true) return [];
  return backends
    .filter(({ locked }) => locked === undefined)
    .map(({ name, origin }) => {
      const message = `backend "${name}" is not in ${catalog.file}: nothing that depends on its tools is checked`;
      const details = { severity: 'hint', fix: 'run "lintel lock"' } as const;
      return diagnose(origin.resource.document, 'LNT3001', origin.path, message, details);
    });
}
