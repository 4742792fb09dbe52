/** What backends offer, verbatim: items are the parsed JSON objects, unknown members included. */
import type { Envelope } from '../../mcp/envelope.ts';

export type Item = { readonly [member: string]: unknown };

export interface OfferedItems {
  readonly tools: readonly Item[];
  readonly prompts: readonly Item[];
  readonly resources: readonly Item[];
  readonly resourceTemplates: readonly Item[];
}

export type ItemKind = keyof OfferedItems;

/** How one kind is listed, and by which member its items are told apart. */
export interface KindTraits {
  readonly kind: ItemKind;
  /** The capability that announces it in `initialize`. */
  readonly announcedBy: 'tools' | 'prompts' | 'resources';
  readonly listMethod: string;
  readonly key: 'name' | 'uri' | 'uriTemplate';
  /** The notification that says the list is out of date. */
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
export function perKind<T>(of: (kind: ItemKind, key: KindTraits['key']) => T): PerKind<T> {
  return Object.fromEntries(KINDS.map(({ kind, key }) => [kind, of(kind, key)])) as PerKind<T>;
}

const CHANGE_METHODS: ReadonlySet<string> = new Set(KINDS.map(traits => traits.changedMethod));

/** Whether a notification of a backend says that one of its lists is out of date. */
export function announcesChange({ method }: Envelope): boolean {
  return CHANGE_METHODS.has(method);
}

export const NOTHING_OFFERED: OfferedItems = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
