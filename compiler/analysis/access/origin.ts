import type { GatewayModel } from '../gateway/model.ts';
import type { ItemType, MatrixItem } from './matrix.ts';

/** The tool or prompt of a backend behind a name. */
export function toOrigin(
  { tools, prompts }: Pick<GatewayModel, 'tools' | 'prompts'>,
  type: ItemType,
  name: string,
): Pick<MatrixItem, 'origin'> {
  const items = type === 'tool' ? tools : type === 'prompt' ? prompts : [];
  const item = items.find(one => one.name === name);
  return item === undefined ? {} : { origin: { backend: item.backend, name: item.originalName } };
}
