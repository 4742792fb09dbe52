import { validateToolName } from '#shared/plan';
import { findNearest } from '#shared/util';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { quote } from '../../text/describe.ts';
import { AGGREGATION, formatInGateway, locateName } from '../support/gateway-locations.ts';

const PREFIX_FORMAT = [...AGGREGATION, 'conflictResolutionConfig', 'prefixFormat'];

/** The only placeholder in a prefix; the underscore behind it is literal. */
const PLACEHOLDER = 'workload';

/**
 * Checks names that follow from settings alone: prefixes, and overrides with prefixes. Invalid names would withhold the tools.
 *
 * @holds config.aggregation, backends | `prefixFormat`, `overrides[].name` | the only placeholder is `{workload}`; together they give valid
 *   names | LNT1012, LNT1047 | `unservable/`
 */
export function configuredNames(gateway: GatewayModel): Diagnostic[] {
  const { resource } = gateway;
  const format = resource.spec.config?.aggregation?.conflictResolutionConfig?.prefixFormat ?? '';
  const unknown = [...format.matchAll(/\{([^{}]*)\}/g)].map(match => match[1] ?? '').find(name => name !== PLACEHOLDER);
  if (unknown !== undefined || /[{}]/.test(format.replaceAll(`{${PLACEHOLDER}}`, ''))) {
    const subject = unknown === undefined ? 'an unpaired brace' : quote(`{${unknown}}`);
    const close = unknown === undefined ? undefined : findNearest(unknown, [PLACEHOLDER]);
    const message = `${subject} is not a placeholder: the only placeholder of prefixFormat is "{workload}", the name of the backend, as in "{workload}_"`;
    const details =
      close === undefined ? { help: 'Write a prefix such as "{workload}_"' } : { fix: 'write "{workload}"' };
    return [diagnose(resource.document, 'LNT1012', PREFIX_FORMAT, message, details)];
  }
  const prefixed = gateway.plan.aggregation.strategy === 'prefix' ? gateway.backends : [];
  return prefixed.flatMap(backend => checkPrefix(gateway, backend) ?? checkOverrides(gateway, backend));
}

/** Checks the prefix with the shortest name. An invalid backend name is reported where it is written. */
function checkPrefix(gateway: GatewayModel, { name, plan }: BackendModel): Diagnostic[] | undefined {
  const violation = validateToolName(`${plan.tools.prefix}x`);
  if (violation === undefined || validateToolName(name) !== undefined) return undefined;
  const message = `the gateway would withhold every tool of "${name}" from clients: with this prefix ${violation}`;
  return [diagnose(gateway.resource.document, 'LNT1047', PREFIX_FORMAT, message, { severity: 'error' })];
}

function checkOverrides(gateway: GatewayModel, { name, plan }: BackendModel): Diagnostic[] {
  const { prefix, overrides } = plan.tools;
  return Object.entries(overrides).flatMap(([tool, { name: configuredName }]) => {
    // A name that is invalid without the prefix is reported where it is written.
    if (configuredName === undefined || validateToolName(configuredName) !== undefined) return [];
    const violation = validateToolName(`${prefix}${configuredName}`);
    const location = violation === undefined ? undefined : locateName(gateway, name, tool);
    if (violation === undefined || location === undefined) return [];
    const message = `the gateway would withhold this tool of "${name}" from clients: with the prefix "${prefix}" ${violation}`;
    const details = { severity: 'error' } as const;
    return [
      diagnose(
        location.resource.document,
        'LNT1047',
        location.path,
        `${message}${formatInGateway(gateway, location.resource)}`,
        details,
      ),
    ];
  });
}
