import { selectClientProfiles } from '../../analysis/gateway/client-profiles.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { estimateTokens } from '../../analysis/gateway/token-estimate.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { AGGREGATION } from '../support/gateway-locations.ts';
import { type ListedTool, listedTools } from '../support/listed-tools.ts';

/** VS Code and OpenAI limit requests to this many tools; with more, models choose badly anyway. */
const MANY_TOOLS = 128;
/** A list with this many tokens fills an eighth of a context window of 200,000 tokens before the first question. */
const MANY_TOKENS = 25_000;

/** Maximum number of the largest items in a message. */
const MAX_PARTS = 3;

/**
 * The list of tools takes space in the context of every conversation.
 *
 * @holds config.aggregation, backends | (list of tools) | within the budgets of tools and tokens | LNT3024, LNT3025
 */
export function listBudgets(gateway: GatewayModel): Diagnostic[] {
  const listed = listedTools(gateway);
  return [...checkToolBudget(gateway, listed), ...checkTokenBudget(gateway, listed)];
}

function checkToolBudget(gateway: GatewayModel, listed: readonly ListedTool[]): Diagnostic[] {
  const budget = gateway.settings.budgets?.tools;
  const limits = selectClientProfiles(gateway.settings.clients).flatMap(({ title, maxTools }) =>
    maxTools === undefined ? [] : [{ limit: maxTools, what: `${title} accepts` }],
  );
  const [advice] = [...limits, { limit: MANY_TOOLS, what: 'many clients accept' }].sort((a, b) => a.limit - b.limit);
  const limit = budget ?? advice?.limit ?? MANY_TOOLS;
  if (listed.length <= limit) return [];
  const holders = Map.groupBy(listed, ({ source }) => ('backend' in source ? source.backend : ''));
  const most = listHeaviest([...holders].map(([holder, tools]) => ({ name: holder, weight: tools.length })));
  const parts = most
    .map(({ name, weight }) => `${weight} ${name === '' ? 'are workflows' : `of "${name}"`}`)
    .join(', ');
  const above = budget === undefined ? `${advice?.what} (${limit})` : `the budget of ${limit}`;
  return [reportExcess(gateway, 'LNT3024', `clients see ${listed.length} tools, more than ${above}: ${parts}`, budget)];
}

function checkTokenBudget(gateway: GatewayModel, listed: readonly ListedTool[]): Diagnostic[] {
  const budget = gateway.settings.budgets?.tokens;
  const limit = budget ?? MANY_TOKENS;
  const weights = listed.map(({ name, definition }) => ({ name, weight: estimateTokens(definition) }));
  const sum = weights.reduce((total, { weight }) => total + weight, 0);
  if (sum <= limit) return [];
  const parts = listHeaviest(weights)
    .map(({ name, weight }) => `"${name}" ${weight}`)
    .join(', ');
  const above =
    budget === undefined ? `and more than ${limit} is much for a conversation` : `more than the budget of ${limit}`;
  const message = `the list of tools takes about ${sum} tokens, ${above}; the largest: ${parts}`;
  return [reportExcess(gateway, 'LNT3025', message, budget)];
}

function reportExcess(
  { resource }: GatewayModel,
  code: 'LNT3024' | 'LNT3025',
  message: string,
  budget: number | undefined,
): Diagnostic {
  const severity = budget === undefined ? 'hint' : 'error';
  return diagnose(resource.document, code, AGGREGATION, message, { severity, at: 'key' });
}

interface WeighedPart {
  readonly name: string;
  readonly weight: number;
}

function listHeaviest(parts: readonly WeighedPart[]): readonly WeighedPart[] {
  return parts.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_PARTS);
}
