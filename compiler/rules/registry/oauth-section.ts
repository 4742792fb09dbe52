import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * The default mode is `oauth`, which needs providers.
 *
 * @holds Registry server | `auth.oauth` | required in mode `oauth` | LNT1010
 */
export function oauthSection({ document, config }: RegistryDocument): Diagnostic[] {
  const { mode, oauth } = config.auth;
  if (mode === 'anonymous' || oauth !== undefined) return [];
  const fix = 'add resourceUrl and providers, or set auth.mode to anonymous';
  return [diagnose(document, 'LNT1010', ['auth'], 'auth.oauth is missing, and the mode is oauth', { at: 'key', fix })];
}
