import { type ClientProfile, MCP_NAMES, selectClientProfiles } from '../../analysis/gateway/client-profiles.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ListedTool } from '../support/listed-tools.ts';
import { diagnoseName, getNameBeforePrefix, groupByHolder, listWellNamedTools } from '../support/named-tools.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * Names must contain only characters that MCP and the gateway's clients support.
 *
 * @holds config.aggregation, backends | (advertised names) | length and characters of MCP and of the clients | LNT3023
 */
export function nameCharacters(gateway: GatewayModel): Diagnostic[] {
  const listed = listWellNamedTools(gateway);
  return [MCP_NAMES, ...selectClientProfiles(gateway.settings.clients)].flatMap(profile =>
    checkNames(gateway, profile, listed),
  );
}

function checkNames(gateway: GatewayModel, profile: ClientProfile, listed: readonly ListedTool[]): Diagnostic[] {
  const { characters, title } = profile;
  if (characters === undefined) return [];
  return groupByHolder(listed.filter(({ name }) => !characters.test(name))).flatMap(tools => {
    const [first] = tools;
    if (first === undefined) return [];
    const names = `${formatQuotedList(tools.map(({ name }) => name))} ${tools.length > 1 ? 'do' : 'does'} not`;
    const message = `${title} accepts names that match ${characters.source}, and ${names}`;
    const own = getNameBeforePrefix(gateway, first);
    const clean = own.replaceAll(/[^A-Za-z0-9_-]/g, '_');
    return [diagnoseName(gateway, 'LNT3023', first, message, clean === own ? undefined : clean)];
  });
}
