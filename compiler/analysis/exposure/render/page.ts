/** The report about one gateway or registry server, independent of the output format. */

import { type Fact, listFacts } from './facts.ts';
import { listRegistryFacts } from './registry-facts.ts';
import { renderRegistrySections } from './registry-sections.ts';
import type { ExposureReport } from './rendering.ts';
import type { Section } from './section.ts';
import { buildSections } from './sections.ts';

export interface Page {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
}

/** The pages of a report, gateways first. */
export function buildPages({ gateways, registries }: ExposureReport): readonly Page[] {
  return [
    ...gateways.map(exposure => ({
      ...renderTitle(exposure),
      facts: listFacts(exposure),
      sections: buildSections(exposure),
    })),
    ...registries.map(exposure => ({
      title: `${renderTitle(exposure).title} (registry server)`,
      facts: listRegistryFacts(exposure),
      sections: renderRegistrySections(exposure),
    })),
  ];
}

function renderTitle({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  return { title: `${namespace}/${name}` };
}
