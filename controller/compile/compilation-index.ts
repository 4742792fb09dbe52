import { type Compilation, concernsEveryGateway, type Diagnostic, type ResourceDocument } from '#compiler';
import { isOfCluster } from './cluster-file.ts';

interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a compilation says of objects, found by kind, namespace and name. */
export class CompilationIndex {
  readonly #objects: Map<string, ResourceDocument>;
  readonly #findings: Map<string, Diagnostic[]>;
  readonly #errors: readonly Diagnostic[];

  constructor({ objects, findings }: Compilation) {
    // The first of two equal ones counts, as for the compiler.
    this.#objects = new Map(objects.toReversed().map(object => [formatKey(object), object]));
    this.#findings = Map.groupBy(findings.all, ({ object }) => (object === undefined ? '' : formatKey(object)));
    this.#errors = findings.all.filter(({ severity }) => severity === 'error');
  }

  find(object: NamedObject): ResourceDocument | undefined {
    return this.#objects.get(formatKey(object));
  }

  /** Its `spec` as written; empty for what is not there or has none. */
  readSpec(kind: string, namespace: string, name: string): object {
    const { spec } = (this.find({ kind, namespace, name })?.doc.value ?? {}) as { spec?: unknown };
    return typeof spec === 'object' && spec !== null ? spec : {};
  }

  /** Whether no file of the repository has it. */
  isOnlyInCluster(object: NamedObject): boolean {
    const document = this.find(object);
    return document !== undefined && isOfCluster(document.doc.file);
  }

  listFindings(object: NamedObject): readonly Diagnostic[] {
    return this.#findings.get(formatKey(object)) ?? [];
  }

  /** Errors that may be why something of a namespace could not be built. */
  errorsNear(namespace: string): readonly Diagnostic[] {
    return this.#errors.filter(found => found.object?.namespace === namespace || concernsEveryGateway(found));
  }
}

function formatKey({ kind, namespace, name }: NamedObject): string {
  return `${kind}/${namespace}/${name}`;
}
