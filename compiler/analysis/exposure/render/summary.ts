import type { Exposure, Totals } from '../exposure.ts';
import type { RegistryExposure, RegistryTotals } from '../registry/registry-exposure.ts';
import type { ExposureReport } from './rendering.ts';
import { formatCount } from './words.ts';

/** One line for gateways and one for registry servers, if there are any. */
export function formatSummary({ gateways, registries }: ExposureReport): string {
  if (registries.length === 0) return summarizeGateways(gateways);
  return [...(gateways.length === 0 ? [] : [summarizeGateways(gateways)]), summarizeRegistries(registries)].join('\n');
}

/** A line such as `1 gateway: 6 tools listed (2 not known to be read-only), 1 hidden, 2 prompts, 1 resource; about 840 tokens`. */
function summarizeGateways(exposures: readonly Exposure[]): string {
  const sum = (member: keyof Totals) => exposures.reduce((total, { totals }) => total + totals[member], 0);
  const writing = sum('writing');
  const parts = [
    `${formatCount(sum('listed'), 'tool')} listed${writing === 0 ? '' : ` (${writing} not known to be read-only)`}`,
    ...(sum('hidden') === 0 ? [] : [`${sum('hidden')} hidden`]),
    ...(sum('composites') === 0 ? [] : [formatCount(sum('composites'), 'workflow')]),
    formatCount(sum('prompts'), 'prompt'),
    formatCount(sum('resources'), 'resource'),
    ...(sum('resourceTemplates') === 0 ? [] : [formatCount(sum('resourceTemplates'), 'resource template')]),
  ];
  const incomplete = exposures.every(({ complete }) => complete)
    ? ''
    : '; not every backend is in the tool lock, so there may be more';
  return `${formatCount(exposures.length, 'gateway')}: ${parts.join(', ')}; about ${formatCount(sum('tokens'), 'token')}${incomplete}`;
}

/** A line such as `1 registry server: 8 routes (5 without a token), 2 registries, 3 sources`. */
function summarizeRegistries(exposures: readonly RegistryExposure[]): string {
  const sum = (member: keyof RegistryTotals) => exposures.reduce((total, { totals }) => total + totals[member], 0);
  const parts = [
    `${formatCount(sum('routes'), 'route')} (${sum('open')} without a token)`,
    formatCount(sum('registries'), 'registry', 'registries'),
    formatCount(sum('sources'), 'source'),
  ];
  return `${formatCount(exposures.length, 'registry server')}: ${parts.join(', ')}`;
}
