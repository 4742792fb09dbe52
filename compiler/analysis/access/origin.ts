import type { GatewayModel } from '../gateway/model.ts';
import type { ItemType, MatrixItem } from './matrix.ts';

export type FindOrigin = (type: ItemType, name: string) => Pick<MatrixItem, 'origin'>;

/** Finds the tool or prompt of a backend behind a name. Workflows and resources have none. */
export function indexOrigins({ tools, prompts }: Pick<GatewayModel, 'tools' | 'prompts'>): FindOrigin {
  const byType = new Map([
    ['tool', new Map(tools.map(tool => [tool.name, tool]))],
    ['prompt', new Map(prompts.map(prompt => [prompt.name, prompt]))],
  ]);
  return (type, name) => {
    const item = byType.get(type)?.get(name);
    return item === undefined ? {} : { origin: { backend: item.backend, name: item.originalName } };
  };
}
