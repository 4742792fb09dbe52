import type { CatalogItem } from '#schemas';
import { buildWorkflowDefinition } from '#shared/plan';
import type { CompositeModel } from '../gateway/composites.ts';
import { buildOutputSchema } from '../gateway/workflow.ts';
import { listCalledTools } from './hints.ts';

/** The definition of a workflow as clients see it, as far as the lock has the tools that it calls. */
export function buildCompositeDefinition(composite: CompositeModel): CatalogItem {
  const { name, description, parameters, annotations, output } = composite.tool;
  return buildWorkflowDefinition(
    {
      name,
      description,
      parameters: parameters ?? { type: 'object' },
      annotations: { ...annotations },
      outputSchema: buildOutputSchema(output),
    },
    listCalledTools(composite),
  );
}
