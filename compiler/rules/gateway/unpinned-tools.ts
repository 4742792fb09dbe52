import { getMember, PINNED_TOOLS_ANNOTATION } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';
import { quote } from '../../text/describe.ts';
import { formatQuotedList } from '../support/texts.ts';

const PATH: Path = ['metadata', 'annotations', PINNED_TOOLS_ANNOTATION];

/**
 * Pinned tools need a tool lock with every backend: clients would get no tools from a backend that the lock lacks.
 *
 * @holds config.aggregation, backends | (backends) | are in the tool lock where the gateway pins its tools | LNT3030
 * @for gateways, servers
 */
export function unpinnedTools({ resource: { document }, backends }: GatewayModel): Diagnostic[] {
  const annotations = getMember(getMember(document.doc.value, 'metadata'), 'annotations');
  const value = getMember(annotations, PINNED_TOOLS_ANNOTATION);
  if (value === undefined || value === 'disabled') return [];
  if (value !== 'enabled') {
    const message = `${PINNED_TOOLS_ANNOTATION} is ${quote(String(value))}, and only "enabled" and "disabled" are allowed`;
    return [diagnose(document, 'LNT3030', PATH, message, { fix: 'write "enabled" or "disabled"' })];
  }
  const unlocked = backends.filter(({ locked }) => locked === undefined).map(({ name }) => name);
  if (unlocked.length === 0) return [];
  const message = `tools are pinned to the tool lock, which does not have ${formatQuotedList(unlocked)}: clients would not get any tool of these backends`;
  return [diagnose(document, 'LNT3030', PATH, message, { fix: 'run "lintel lock"' })];
}
