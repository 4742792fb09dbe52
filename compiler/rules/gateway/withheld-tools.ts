import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { quote } from '../../text/describe.ts';
import { findBackend } from '../support/gateway-locations.ts';
import { diagnoseName, getNameBeforePrefix, isWellNamed } from '../support/named-tools.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * The gateway withholds a tool that would make clients drop the whole list.
 *
 * @holds config.aggregation, backends | (schemas and names of tools) | are valid, so that the gateway serves the tools | LNT3027
 */
export function withheldTools(gateway: GatewayModel): Diagnostic[] {
  return [
    ...gateway.tools.flatMap(tool => (tool.fault?.reason === 'invalid_schema' ? checkSchema(gateway, tool) : [])),
    ...checkUnfitNames(gateway),
  ];
}

/** Only the backend's operator can correct the schema. */
function checkSchema(gateway: GatewayModel, { backend, originalName, fault }: ToolModel): Diagnostic[] {
  const origin = findBackend(gateway, backend)?.origin;
  if (origin === undefined || fault === undefined) return [];
  const message = `clients do not get the tool ${quote(originalName)} of "${backend}": ${fault.detail}`;
  return [diagnose(origin.resource.document, 'LNT3027', origin.path, message)];
}

/** One finding per backend and violation, because a prefix may affect hundreds of tools. */
function checkUnfitNames(gateway: GatewayModel): Diagnostic[] {
  const unfit = gateway.tools
    .filter(({ fault }) => fault?.reason === 'unfit_name')
    .map(source => ({ name: source.name, definition: source.definition, source }))
    // LNT1047 reports a name that is invalid where it is written.
    .filter(tool => isWellNamed(gateway, tool));
  const groups = Map.groupBy(unfit, ({ source }) => `${source.backend}: ${source.fault?.detail}`);
  return [...groups.values()].flatMap(tools => {
    const [first] = tools;
    if (first === undefined) return [];
    const names = formatQuotedList(tools.map(({ name }) => quote(name).slice(1, -1)));
    const message = `clients do not get ${names} of "${first.source.backend}": ${first.source.fault?.detail}`;
    const own = getNameBeforePrefix(gateway, first);
    const clean = own.replaceAll(/[^A-Za-z0-9_.-]/g, '_');
    return [diagnoseName(gateway, 'LNT3027', first, message, clean === own ? undefined : clean)];
  });
}
