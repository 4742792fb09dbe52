import type { WithheldItem } from '#shared/plan';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type ObjectLocation, toRelatedLocation } from '../../resolve/related-location.ts';
import { AGGREGATION, locateName } from '../support/gateway-locations.ts';

/**
 * A name that several backends have is served for none of them.
 *
 * @holds config.aggregation, backends | (names of tools and prompts) | differ, after overrides and prefixes | LNT3002
 * @needs all backends
 */
export function nameCollision(gateway: GatewayModel): Diagnostic[] {
  return [
    ...listCollisions(gateway.withheld.tools).map(([name, holders]) => {
      const isShown = holders.some(({ advertised }) => advertised);
      const fix = 'give one of them another name in aggregation.tools[].overrides';
      // No list shows a hidden tool anyway, but steps cannot call it by this name.
      return reportCollision(gateway, 'tools', name, holders, { fix, ...(isShown ? {} : { severity: 'warning' }) });
    }),
    ...listCollisions(gateway.withheld.prompts).map(([name, holders]) => {
      const fix = 'choose a conflictResolutionConfig.prefixFormat that keeps them apart, such as "{workload}__"';
      return reportCollision(gateway, 'prompts', name, holders, { fix });
    }),
  ];
}

function listCollisions<T extends WithheldItem>(withheld: readonly T[]): [string, T[]][] {
  return [
    ...Map.groupBy(
      withheld.filter(({ reason }) => reason === 'collision'),
      ({ name }) => name,
    ),
  ];
}

function reportCollision(
  gateway: GatewayModel,
  what: 'tools' | 'prompts',
  name: string,
  holders: readonly WithheldItem[],
  details: { readonly fix: string; readonly severity?: 'warning' },
): Diagnostic {
  const texts = holders.map(({ backend, originalName }) => `"${originalName}" of "${backend}"`);
  const manual = what === 'tools' && gateway.plan.aggregation.strategy === 'manual';
  const because = manual ? ', and conflictResolution is manual' : '';
  const subject = what === 'tools' ? '' : 'the prompts ';
  const message = `${subject}${texts.join(' and ')} are both named "${name}"${because}, so neither is served`;
  const locations = holders.map(({ backend, originalName }) => ({
    location: what === 'tools' ? locateName(gateway, backend, originalName) : undefined,
    text: `"${originalName}" of "${backend}"`,
  }));
  const related = locations.flatMap(({ location, text }) =>
    location === undefined ? [] : [toRelatedLocation(text, location)],
  );
  const { resource, path } = chooseLocation(gateway, manual, locations);
  const several =
    holders.length > 2 ? message.replace('both named', 'all named').replace('neither is', 'none is') : message;
  return diagnose(resource.document, 'LNT3002', path, several, { related, ...details });
}

/** The override that caused the collision, otherwise the conflict strategy. */
function chooseLocation(
  gateway: GatewayModel,
  manual: boolean,
  locations: readonly { readonly location: ObjectLocation | undefined }[],
): ObjectLocation {
  const { resource } = gateway;
  const inline = locations.find(
    ({ location }) => location?.resource === resource && location.path.includes('overrides'),
  )?.location;
  const detail = manual ? ['conflictResolution'] : ['conflictResolutionConfig', 'prefixFormat'];
  return inline ?? { resource, path: [...AGGREGATION, ...detail] };
}
