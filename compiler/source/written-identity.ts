/** How to look into a tree of nodes, of YAML or JSON. */
export interface NodeAccess<Node> {
  /** A member of a mapping; of a key that stands there twice, the one that this reader would keep. */
  readonly member: (node: Node, name: string) => Node | undefined;
  /** The items of a list. */
  readonly items: (node: Node) => readonly Node[];
  readonly text: (node: Node) => string | undefined;
}

/** What says which object a document describes, in the form of that object. */
export type WrittenIdentity = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

/**
 * Which objects a document describes that is left out for what is wrong with it, as far as it says so. They are there, so a reference
 * to one of them is no mistake of its own.
 */
export function listWrittenIdentities<Node>(root: Node, access: NodeAccess<Node>): readonly WrittenIdentity[] {
  const textAt = (node: Node | undefined, name: string): string | undefined => {
    const member = node === undefined ? undefined : access.member(node, name);
    return member === undefined ? undefined : access.text(member);
  };
  const kind = textAt(root, 'kind');
  if (kind === 'List') {
    const items = access.member(root, 'items');
    return items === undefined ? [] : access.items(items).flatMap(item => listWrittenIdentities(item, access));
  }
  const apiVersion = textAt(root, 'apiVersion');
  const metadata = access.member(root, 'metadata');
  const name = textAt(metadata, 'name');
  if (kind === undefined || apiVersion === undefined || name === undefined) return [];
  const namespace = textAt(metadata, 'namespace');
  return [{ apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }];
}
