import { compareText } from '#schemas';
import { readHint } from '#shared/plan';
import { getReach, type ToolReach } from '../../analysis/exposure/reach.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { formatQuotedList } from '../support/texts.ts';

/** Maximum number of workflow paths in a finding. */
const MAX_PATHS = 5;

/**
 * Reports tools that anonymous callers reach, directly or through a workflow, and that are not known to be read-only. One finding per gateway.
 * Tools outside of the catalog are not considered.
 *
 * @holds Who reaches what | `incomingAuth.type: anonymous` | permits only read-only tools, by name and through workflows | LNT4001
 * @holds Other kinds | MCPServer, of `lintel.dev` in a cluster | callers need a token, or the tool lock shows that only read-only tools are
 *   open; policies and `resourceUrl` as in a VirtualMCPServer | LNT4001
 * @reads sign-in
 */
export function anonymousWrites(gateway: GatewayModel): Diagnostic[] {
  const { resource } = gateway;
  const incoming = chooseIncomingAuth(resource.spec);
  if (incoming.type !== 'anonymous' || gateway.tools.length === 0) return [];
  const reached = getReach(gateway)
    .tools.filter(({ reach }) => reach.type === 'everyone')
    .filter(({ tool }) => readHint(tool.definition, 'readOnlyHint') !== true)
    .sort((a, b) => rankHarm(b) - rankHarm(a) || compareText(a.tool.name, b.tool.name));
  if (reached.length === 0) return [];
  const message = `anonymous callers reach ${formatCount(reached)}: ${formatQuotedList(reached.map(({ tool }) => tool.name))}`;
  return [
    diagnose(resource.document, 'LNT4001', [...incoming.path, 'type'], message, { related: formatPaths(reached) }),
  ];
}

/** The hints of the tools, and the number of tools without hints. */
function formatCount(reached: readonly ToolReach[]): string {
  const destructive = reached.filter(tool => rankHarm(tool) === 2).length;
  const writing = reached.filter(
    tool => rankHarm(tool) === 2 || readHint(tool.tool.definition, 'readOnlyHint') === false,
  );
  const silent = reached.length - writing.length;
  const some = destructive === 0 ? '' : ` (${destructive} destructive)`;
  const tools = (count: number) => `${count} ${count === 1 ? 'tool' : 'tools'}`;
  if (writing.length === 0) return `${tools(silent)} not known to be read-only`;
  const known = `${tools(writing.length)} that ${writing.length === 1 ? 'is' : 'are'} not read-only${some}`;
  return silent === 0 ? known : `${known} and ${silent} not known to be`;
}

/** First tools that claim to be destructive, then tools without hints, then additive ones. */
function rankHarm({ tool }: ToolReach): number {
  const destructive = readHint(tool.definition, 'destructiveHint');
  return destructive === undefined ? 1 : destructive ? 2 : 0;
}

/** How tools are reached that no caller can call directly. */
function formatPaths(reached: readonly ToolReach[]) {
  const indirect = reached.filter(({ direct }) => direct.type !== 'everyone');
  return indirect.slice(0, MAX_PATHS).flatMap(({ tool, through }) => {
    const [path] = through.filter(({ composite }) => composite.who.type === 'everyone');
    if (path === undefined) return [];
    const { name, resource } = path.composite.composite;
    const location = { resource, path: [...path.call.callPath, 'tool'] };
    return [toRelatedLocation(`"${tool.name}" is reached by ${name} → ${path.call.call.id}`, location)];
  });
}
