/** The node at a position of a text, however broken the rest of the text is. */
import { basename } from 'node:path';
import { isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type Scalar } from 'yaml';
import { PROJECT_FILE } from '../project/index.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { isRegistryConfig, REGISTRY_CONFIG_KIND } from '../source/registry-config.ts';
import type { Path } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import type { CompiledProject } from './edited-project.ts';

/** A key or scalar of an object or configuration file. */
export interface NodeLocation {
  /** A topic of `lintel explain`: a kind, `RegistryConfig` or `lintel.yaml`; empty when the text does not say. */
  readonly kind: string;
  /** The path of the node, from the root of the object. */
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  /** The parsed object. */
  readonly root: Node;
}

/** The innermost key or scalar at an offset. */
export function locateNode(file: string, text: string, offset: number): NodeLocation | undefined {
  const documents = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false });
  if (!Array.isArray(documents)) return undefined;
  for (const { contents } of documents as readonly { contents: Node | null }[]) {
    const found = contents === null ? undefined : find(contents, [], offset);
    if (contents !== null && found !== undefined) return { ...findObject(file, contents, found.path), ...found.at };
  }
  return undefined;
}

interface FoundNode {
  readonly path: Path;
  readonly at: Pick<NodeLocation, 'part' | 'start' | 'end'>;
}

function find(node: Node, path: Path, offset: number): FoundNode | undefined {
  if (!covers(node, offset)) return undefined;
  if (isMap(node)) {
    for (const { key, value } of node.items as Pair<Scalar, Node | null>[]) {
      const step = [...path, String(key.value)];
      if (covers(key, offset)) return { path: step, at: { part: 'key', ...readSpan(key) } };
      const found = value === null ? undefined : find(value, step, offset);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isSeq(node)) {
    for (const [index, item] of (node.items as (Node | null)[]).entries()) {
      const found = item === null ? undefined : find(item, [...path, index], offset);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return isScalar(node) ? { path, at: { part: 'value', ...readSpan(node) } } : undefined;
}

function covers(node: Node, offset: number): boolean {
  const { start, end } = readSpan(node);
  return start <= offset && offset <= end;
}

function readSpan({ range }: Node): { start: number; end: number } {
  const [start, end] = range ?? [-1, -1];
  return { start, end };
}

/** The object at a path of a document: an item of a `List` is an object of its own. */
export function findObject(file: string, root: Node, path: Path): Pick<NodeLocation, 'kind' | 'path' | 'root'> {
  const kind = readKind(file, root);
  const item = kind === 'List' && isMap(root) ? root.getIn(path.slice(0, 2), true) : undefined;
  return isMap(item) ? findObject(file, item, path.slice(2)) : { kind, path, root };
}

function readKind(file: string, root: Node): string {
  if (basename(file) === PROJECT_FILE) return PROJECT_FILE;
  const kind = isMap(root) ? root.get('kind') : undefined;
  if (typeof kind === 'string') return kind;
  return isRegistryConfig(toJsValue(root), true) ? REGISTRY_CONFIG_KIND : '';
}

/** The value of a node; undefined when it has none, such as for an unresolved alias. */
export function toJsValue(node: unknown): unknown {
  try {
    return (node as Node).toJSON();
  } catch {
    return undefined;
  }
}

/** The object at an offset, if the compiler could parse it. */
export function findDocument(
  { compilation }: CompiledProject,
  { file }: SourceText,
  offset: number,
): ResourceDocument | undefined {
  return compilation.objects.find(({ doc }) => {
    if (doc.file !== file) return false;
    const { start, end } = doc.locate([], 'value');
    return start.offset <= offset && offset <= end.offset;
  });
}
