/** The summary of a gateway above the tables. */
import type { Exposure } from '../exposure.ts';
import { findGroupSources } from '../group-sources.ts';
import { formatAuthentication, formatCount } from './words.ts';

export interface Fact {
  readonly name: string;
  readonly text: string;
}

export function listFacts(exposure: Exposure): readonly Fact[] {
  const { authentication, authorization } = exposure;
  return [
    { name: 'Gets in', text: formatAuthentication(authentication) },
    { name: 'May call', text: formatAuthorization(authorization) },
    ...listGroupFacts(exposure),
    ...(exposure.listing === 'optimizer'
      ? [{ name: 'Listing', text: 'find_tool and call_tool of the optimizer, in place of the tools below' }]
      : []),
    ...listCatalogFacts(exposure),
    ...listBundleFacts(exposure),
    ...listHatchFacts(exposure),
  ];
}

/** The bundle's digest and the other values that a running server reports. */
export function listBundleFacts({ bundle }: Pick<Exposure, 'bundle'>): readonly Fact[] {
  return bundle === undefined ? [] : [{ name: 'Bundle', text: bundle }];
}

function formatAuthorization(authorization: Exposure['authorization']): string {
  if (authorization.type === 'none') return 'everything that is listed: there are no policies';
  const { policies, source } = authorization;
  const where = `${source.kind} ${source.name}`;
  if (policies === null) return `unknown: the policies of ${where} cannot be read here`;
  return `what ${formatCount(policies, 'policy permits', 'policies permit')}, in ${where}`;
}

/** Maximum number of parents in a report; `--format json` has all. */
const MOST_PARENTS = 8;

function listGroupFacts(exposure: Exposure): readonly Fact[] {
  const sources = findGroupSources(exposure);
  if (sources === undefined) return [];
  const { claims, parents } = sources;
  const more = parents.length > MOST_PARENTS ? [`and ${parents.length - MOST_PARENTS} more`] : [];
  const parts = [
    ...(claims === null ? [] : [`from ${claims}`]),
    ...(parents.length === 0 ? [] : [[...parents.slice(0, MOST_PARENTS), ...more].join(', ')]),
  ];
  return parts.length === 0 ? [] : [{ name: 'Groups', text: parts.join('; ') }];
}

function listHatchFacts({ escapeHatches = [] }: Exposure): readonly Fact[] {
  if (escapeHatches.length === 0) return [];
  return [{ name: 'Hatches', text: `set past the constructs: ${escapeHatches.join(', ')}` }];
}

function listCatalogFacts({ complete, backends }: Exposure): readonly Fact[] {
  if (complete) return [];
  const unknown = backends.filter(({ locked }) => !locked).map(({ name }) => name);
  const whose =
    unknown.length === backends.length
      ? 'any backend offers'
      : `${unknown.join(', ')} ${unknown.length === 1 ? 'offers' : 'offer'}`;
  return [{ name: 'Unknown', text: `what ${whose}, which is missing below: record it with \`lintel lock\`` }];
}
