/** The four lists of a backend, in the order in which people read them. */
export const ITEM_KINDS = [
  { list: 'tools', key: 'name', noun: 'tool' },
  { list: 'prompts', key: 'name', noun: 'prompt' },
  { list: 'resources', key: 'uri', noun: 'resource' },
  { list: 'resourceTemplates', key: 'uriTemplate', noun: 'resource template' },
] as const;

/** One of them: `key` is the member by which its items are told apart. */
export type ItemKind = (typeof ITEM_KINDS)[number];

export type ItemList = ItemKind['list'];
