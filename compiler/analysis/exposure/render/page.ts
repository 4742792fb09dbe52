/** The report about one gateway or registry server, before it is laid out for a terminal or for Markdown. */

import { type Fact, factsOf } from './facts.ts';
import { registryFacts } from './registry-facts.ts';
import { registrySections } from './registry-sections.ts';
import type { ExposureReport } from './rendering.ts';
import type { Section } from './section.ts';
import { sectionsOf } from './sections.ts';

export interface Page {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
}

/** Gateways first. */
export function pagesOf({ gateways, registries }: ExposureReport): readonly Page[] {
  return [
    ...gateways.map(exposure => ({ ...titled(exposure), facts: factsOf(exposure), sections: sectionsOf(exposure) })),
    ...registries.map(exposure => ({
      title: `${titled(exposure).title} (registry server)`,
      facts: registryFacts(exposure),
      sections: registrySections(exposure),
    })),
  ];
}

function titled({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  return { title: `${namespace}/${name}` };
}
