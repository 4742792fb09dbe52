import type { CatalogItem } from '#schemas';
import { loadAuthorization } from '../../analysis/cedar/access.ts';
import type { NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/** Maximum number of tools named in a finding. */
const NAMED = 3;

/**
 * A destructive tool should not be permitted to every authenticated caller. Another rule covers anonymous callers.
 *
 * @holds incomingAuth | policies | do not permit destructive tools to every caller | LNT5007
 * @for gateways, servers
 * @reads sign-in
 */
export function destructiveForEveryone(gateway: GatewayModel): Diagnostic[] {
  if (gateway.plan.incomingAuth.type !== 'oidc') return [];
  const authorization = loadAuthorization(gateway);
  if (authorization === undefined) return [];
  const open = listItems(gateway).flatMap(({ name, definition }) => {
    const risk = findRiskHint(definition.annotations);
    const permit = risk && authorization.findUnconditionalPermit('call_tool', { name, definition });
    return permit === undefined ? [] : [{ name, risk, permit }];
  });
  const findings = Map.groupBy(open, ({ permit, risk }) => `${permit.id} ${risk}`);
  return [...findings.values()].map(tools => reportPermits(tools));
}

interface ListedItem {
  readonly name: string;
  readonly definition: CatalogItem;
}

/** A workflow without hints of its own gets hints from its steps. */
function listItems({ tools, composites }: GatewayModel): readonly ListedItem[] {
  const workflows = composites.flatMap(({ name, tool: { annotations } }) =>
    annotations?.destructiveHint === true ? [{ name, definition: { annotations } }] : [],
  );
  return [...tools.filter(({ advertised }) => advertised), ...workflows];
}

type RiskHint = 'destructive' | 'unstated';

/** MCP treats a tool as destructive unless it claims otherwise or claims to be read-only. */
function findRiskHint(annotations: unknown): RiskHint | undefined {
  const { readOnlyHint, destructiveHint } = (annotations ?? {}) as Readonly<Record<string, unknown>>;
  if (readOnlyHint === true || destructiveHint === false) return undefined;
  return destructiveHint === true ? 'destructive' : 'unstated';
}

interface OpenTool {
  readonly name: string;
  readonly risk: RiskHint | undefined;
  readonly permit: NamedPolicy;
}

function reportPermits(tools: readonly OpenTool[]): Diagnostic {
  const [{ permit, risk }] = tools as [OpenTool];
  const named = tools.slice(0, NAMED).map(({ name }) => `"${name}"`);
  const more = tools.length > NAMED ? ` and ${tools.length - NAMED} more` : '';
  const subject = `${named.join(', ')}${more}`;
  const what =
    risk === 'destructive'
      ? `may destroy data: ${subject}`
      : `may destroy data, because they do not set destructiveHint to false: ${subject}`;
  const part = { offset: permit.offset, length: permit.text.length };
  const message = `${permit.name} permits every authenticated caller to call tools that ${what}`;
  return diagnoseText(permit.source, 'LNT5007', part, message, risk === 'destructive' ? {} : { severity: 'hint' });
}
