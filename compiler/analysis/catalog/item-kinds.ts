/** The four lists of a backend, in display order. */
export const ITEM_KINDS = [
  { list: 'tools', key: 'name', noun: 'tool' },
  { list: 'prompts', key: 'name', noun: 'prompt' },
  { list: 'resources', key: 'uri', noun: 'resource' },
  { list: 'resourceTemplates', key: 'uriTemplate', noun: 'resource template' },
] as const;

/** One list: `key` is the member that identifies its items. */
export type ItemKind = (typeof ITEM_KINDS)[number];

export type ItemList = ItemKind['list'];
