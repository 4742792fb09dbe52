/** Read access to a tree of YAML or JSON nodes. */
export interface NodeAccess<Node> {
  /** A member of a mapping; of a duplicate key, the one that this reader keeps. */
  readonly member: (node: Node, name: string) => Node | undefined;
  /** The items of a list. */
  readonly items: (node: Node) => readonly Node[];
  readonly text: (node: Node) => string | undefined;
}

/** The members of an object that identify it, in the form in which the object itself has them. */
export type DocumentIdentity = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

/**
 * The identities of the objects in a document that was dropped because of an error. These objects exist, so a reference to one of them is not an
 * error.
 */
export function listIdentities<Node>(root: Node, access: NodeAccess<Node>): readonly DocumentIdentity[] {
  const textAt = (node: Node | undefined, name: string): string | undefined => {
    const member = node === undefined ? undefined : access.member(node, name);
    return member === undefined ? undefined : access.text(member);
  };
  const kind = textAt(root, 'kind');
  if (kind === 'List') {
    const items = access.member(root, 'items');
    return items === undefined ? [] : access.items(items).flatMap(item => listIdentities(item, access));
  }
  const apiVersion = textAt(root, 'apiVersion');
  const metadata = access.member(root, 'metadata');
  const name = textAt(metadata, 'name');
  if (kind === undefined || apiVersion === undefined || name === undefined) return [];
  const namespace = textAt(metadata, 'namespace');
  return [{ apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }];
}
