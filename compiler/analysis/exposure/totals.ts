import type { Exposure, Totals } from './exposure.ts';
import { toReportHints } from './report-hints.ts';

type ExposedItems = Pick<Exposure, 'tools' | 'composites' | 'prompts' | 'resources' | 'resourceTemplates'>;

export function computeTotals({ tools, composites, prompts, resources, resourceTemplates }: ExposedItems): Totals {
  const advertised = tools.filter(({ visibility }) => visibility === 'advertised');
  const listed = [...advertised, ...composites];
  return {
    listed: listed.length,
    hidden: tools.length - advertised.length,
    writing: listed.filter(
      ({ direct, hints }) => direct.type !== 'nobody' && toReportHints(hints).readOnlyHint?.value !== true,
    ).length,
    composites: composites.length,
    prompts: prompts.length,
    resources: resources.length,
    resourceTemplates: resourceTemplates.length,
    tokens: listed.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}
