import {
  type ClientProfile,
  composeName,
  MCP_NAMES,
  selectClientProfiles,
} from '../../analysis/gateway/client-profiles.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ListedTool } from '../support/listed-tools.ts';
import { diagnoseName, getNameBeforePrefix, groupByHolder, listWellNamedTools } from '../support/named-tools.ts';
import { formatQuotedList } from '../support/texts.ts';

/** Minimum length of a suggested name: a shorter one would say nothing, and the prefix or the gateway needs a shorter name instead. */
const MIN_ALIAS = 8;

/**
 * Names must fit the limits of MCP and of the gateway's clients.
 *
 * @holds config.aggregation, backends | (advertised names) | length and characters of MCP and of the clients | LNT3022 |
 *   `rules/gateway/client-names`
 */
export function nameLengths(gateway: GatewayModel): Diagnostic[] {
  const listed = listWellNamedTools(gateway);
  return [MCP_NAMES, ...selectClientProfiles(gateway.settings.clients)].flatMap(profile =>
    checkNames(gateway, profile, listed),
  );
}

function checkNames(gateway: GatewayModel, profile: ClientProfile, listed: readonly ListedTool[]): Diagnostic[] {
  const { maxLength, title } = profile;
  if (maxLength === undefined) return [];
  const server = gateway.resource.name;
  const room = maxLength - composeName(profile, server, '').length;
  return groupByHolder(listed.filter(({ name }) => name.length > room)).flatMap(tools => {
    const [longest] = tools.toSorted((a, b) => b.name.length - a.name.length);
    if (longest === undefined) return [];
    const composed = composeName(profile, server, longest.name);
    const names = `${formatQuotedList(tools.map(({ name }) => name))} ${tools.length > 1 ? 'are' : 'is'} longer`;
    const message = `${title} accepts names of at most ${maxLength} characters, and ${names}: "${composed}" has ${composed.length}`;
    const own = getNameBeforePrefix(gateway, longest);
    return [
      diagnoseName(gateway, 'LNT3022', longest, message, truncate(own, room - (longest.name.length - own.length))),
    ];
  });
}

/** Drops words from the end. */
function truncate(name: string, room: number): string | undefined {
  if (room < MIN_ALIAS) return undefined;
  const cut = name.slice(0, room);
  const end = Math.max(...['_', '-', '.'].map(separator => name.slice(0, room + 1).lastIndexOf(separator)));
  return end < MIN_ALIAS ? cut : cut.slice(0, end);
}
