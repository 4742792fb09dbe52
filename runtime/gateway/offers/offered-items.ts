/** The items of backends, verbatim: the parsed JSON objects including unknown members. */
import type { Envelope } from '../../mcp/envelope.ts';

export type OfferedItem = { readonly [member: string]: unknown };

export interface OfferedItems {
  readonly tools: readonly OfferedItem[];
  readonly prompts: readonly OfferedItem[];
  readonly resources: readonly OfferedItem[];
  readonly resourceTemplates: readonly OfferedItem[];
}

export type ItemKind = keyof OfferedItems;

/** How one kind is listed, and the member that identifies its items. */
export interface KindTraits {
  readonly kind: ItemKind;
  /** The capability in the answer to `initialize` that announces the kind. */
  readonly announcedBy: 'tools' | 'prompts' | 'resources';
  readonly listMethod: string;
  readonly key: 'name' | 'uri' | 'uriTemplate';
  /** The notification of a changed list. */
  readonly changedMethod: string;
}

export const KINDS: readonly KindTraits[] = [
  {
    kind: 'tools',
    announcedBy: 'tools',
    listMethod: 'tools/list',
    key: 'name',
    changedMethod: 'notifications/tools/list_changed',
  },
  {
    kind: 'prompts',
    announcedBy: 'prompts',
    listMethod: 'prompts/list',
    key: 'name',
    changedMethod: 'notifications/prompts/list_changed',
  },
  {
    kind: 'resources',
    announcedBy: 'resources',
    listMethod: 'resources/list',
    key: 'uri',
    changedMethod: 'notifications/resources/list_changed',
  },
  {
    kind: 'resourceTemplates',
    announcedBy: 'resources',
    listMethod: 'resources/templates/list',
    key: 'uriTemplate',
    changedMethod: 'notifications/resources/list_changed',
  },
];

export type PerKind<T> = { readonly [K in ItemKind]: T };

/** A value for each kind. */
export function mapKinds<T>(of: (kind: ItemKind, key: KindTraits['key']) => T): PerKind<T> {
  return Object.fromEntries(KINDS.map(({ kind, key }) => [kind, of(kind, key)])) as PerKind<T>;
}

const CHANGE_METHODS: ReadonlySet<string> = new Set(KINDS.map(traits => traits.changedMethod));

/** Whether a backend's notification announces a changed list. */
export function announcesChange({ method }: Envelope): boolean {
  return CHANGE_METHODS.has(method);
}

export const NOTHING_OFFERED: OfferedItems = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
