import { type CatalogItem, workflowDefinition } from '#schemas';
import type { CompositeModel } from '../gateway/composites.ts';
import { outputSchemaOf } from '../gateway/workflow.ts';
import { calledBy } from './hints.ts';

/** How a workflow looks to clients, as far as the lock knows its tools. */
export function compositeDefinition(composite: CompositeModel): CatalogItem {
  const { name, description, parameters, annotations, output } = composite.tool;
  return workflowDefinition(
    {
      name,
      description,
      parameters: parameters ?? { type: 'object' },
      annotations: { ...annotations },
      outputSchema: outputSchemaOf(output),
    },
    calledBy(composite),
  );
}
