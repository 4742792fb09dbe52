import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { isTypo } from '../../text/is-typo.ts';

/** An item that a backend has, by the name that clients see or would see. */
interface Item {
  readonly name: string;
  readonly shown: boolean;
  /** Other names of the item: the backend's own name, and the name with prefixes that it does not have now. */
  readonly others: readonly string[];
}

/**
 * The names that a policy most likely means by a name that no item has: the same item of the same backend under its current name, otherwise
 * a name that differs only by a typing mistake. Another item is never suggested, because a policy that follows a wrong guess would permit
 * it. There is no suggestion if the item may be one that clients do not see.
 */
export function suggestNames(gateway: GatewayModel, name: string, nouns: readonly string[]): readonly string[] {
  const items = nouns.flatMap(noun => listItems(gateway, noun));
  const same = items.filter(({ others }) => others.some(other => sortLetters(other) === sortLetters(name)));
  const meant = same.length > 0 ? same : items.filter(item => isTypo(name, item.name));
  if (!meant.every(({ shown }) => shown) || (same.length === 0 && meant.length > 1)) return [];
  return [...new Set(meant.map(item => item.name))];
}

function listItems(gateway: GatewayModel, noun: string): readonly Item[] {
  const { tools, composites, prompts, resources, withheld, resource } = gateway;
  const own = (name: string): Item => ({ name, shown: true, others: [] });
  switch (noun) {
    case 'tool':
      return [
        ...tools.map(tool => fromBackend(gateway, tool, tool.advertised)),
        ...withheld.tools.map(tool => fromBackend(gateway, tool, false)),
        ...composites.map(({ name }) => own(name)),
      ];
    case 'prompt':
      return [
        ...prompts.map(prompt => fromBackend(gateway, prompt, true)),
        ...withheld.prompts.map(prompt => fromBackend(gateway, prompt, false)),
      ];
    case 'resource':
      return resources.map(({ uri }) => own(uri));
    default:
      return [own(resource.name)];
  }
}

function fromBackend(
  { backends }: GatewayModel,
  { name, backend, originalName }: { readonly name: string; readonly backend: string; readonly originalName: string },
  shown: boolean,
): Item {
  const prefix = backends.find(entry => entry.name === backend)?.plan.tools.prefix ?? '';
  const bare = [originalName, name, ...(prefix !== '' && name.startsWith(prefix) ? [name.slice(prefix.length)] : [])];
  return { name, shown, others: bare.flatMap(value => [value, prefix + value, `${backend}_${value}`]) };
}

/** Sorted letters are equal for names whose words are joined differently. */
function sortLetters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
