import { type Compilation, concernsEveryGateway, type Diagnostic, type ResourceDocument } from '#compiler';
import { isOfCluster } from './cluster-file.ts';

interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The results of a compilation about objects, by kind, namespace and name. */
export class CompilationIndex {
  readonly #objects: Map<string, ResourceDocument>;
  readonly #findings: Map<string, Diagnostic[]>;
  readonly #errors: readonly Diagnostic[];

  constructor({ objects, findings }: Compilation) {
    // Of several objects with one name the first one counts, as in the compiler.
    this.#objects = new Map(objects.toReversed().map(object => [formatKey(object), object]));
    this.#findings = Map.groupBy(findings.all, ({ object }) => (object === undefined ? '' : formatKey(object)));
    this.#errors = findings.all.filter(({ severity }) => severity === 'error');
  }

  find(object: NamedObject): ResourceDocument | undefined {
    return this.#objects.get(formatKey(object));
  }

  /** The object's `spec` as written; empty when it is missing. */
  readSpec(kind: string, namespace: string, name: string): object {
    const { spec } = (this.find({ kind, namespace, name })?.doc.value ?? {}) as { spec?: unknown };
    return typeof spec === 'object' && spec !== null ? spec : {};
  }

  /** Whether the object comes from the cluster, and no file of the repository defines it. */
  isOnlyInCluster(object: NamedObject): boolean {
    const document = this.find(object);
    return document !== undefined && isOfCluster(document.doc.file);
  }

  listFindings(object: NamedObject): readonly Diagnostic[] {
    return this.#findings.get(formatKey(object)) ?? [];
  }

  /** Errors that may explain why something in a namespace was not built. */
  listErrorsNear(namespace: string): readonly Diagnostic[] {
    return this.#errors.filter(found => found.object?.namespace === namespace || concernsEveryGateway(found));
  }
}

function formatKey({ kind, namespace, name }: NamedObject): string {
  return `${kind}/${namespace}/${name}`;
}
