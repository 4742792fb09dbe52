/** The outcome of compiling a checkout: plain data, because it comes from a worker process. */
import type { OutsideBundles } from '#compiler';
import type { WorkloadKind } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import type { ToolCount } from './exposed-tools.ts';

export interface CompileOutcome {
  /** Whether everything could be read and no finding reached the project's threshold. CI and the cluster apply the same rule. */
  readonly isGood: boolean;
  /** Whether the compilation did not finish, for example on an overloaded machine: a later attempt may succeed. */
  readonly isUnfinished?: boolean;
  /** Sorted by kind, namespace and name. After a failed compilation they are informational and not applied. */
  readonly units: readonly CompiledUnit[];
  /** Embedding servers of the repository, for a cluster. They serve no bundle, so `units` does not contain them. */
  readonly embeddingServers?: readonly EmbeddingUnit[];
  /** Objects of Lintel's kinds and ConfigMaps as in the repository, each with its namespace; no Secrets and no foreign objects. */
  readonly objects: readonly KubeObject[];
  /** Positions of objects in the repository, by `Kind/namespace/name`, for messages about API server errors. */
  readonly origins?: { readonly [object: string]: { readonly file: string; readonly line: number } };
  /** At most 20, errors first. */
  readonly diagnostics: readonly FoundDiagnostic[];
  readonly counts: { readonly errors: number; readonly warnings: number; readonly hints: number };
  /** `sha256:…` over the digests of all bundles. */
  readonly digest: string;
  /** Number of documents of foreign kinds, which are ignored; for operators who wonder why an object is missing. */
  readonly ignored: number;
  /** TypeScript programs in the path that generate specs and never run here. Relative to the path. */
  readonly programs: readonly string[];
  /** What differs between revisions without a change of a bundle; absent unless the request asks for exposures. */
  readonly outside?: OutsideBundles | undefined;
  /** Address of the documentation site in the project's configuration. */
  readonly documentation?: string | undefined;
}

export interface EmbeddingUnit {
  readonly namespace: string;
  readonly name: string;
  /** The objects that run it, with defaults, in the order of applying. */
  readonly manifests: readonly KubeObject[];
}

/** A gateway, a server with a gateway in front, or a registry server. */
export interface CompiledUnit {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  /** `sha256:…`; null without a bundle. */
  readonly digest: string | null;
  /** The objects that run it, with defaults, in the order of applying; empty without a bundle. */
  readonly manifests: readonly KubeObject[];
  /** The files of the bundle that the request asks for, relative to its folder, for a destination that is a folder. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** The first findings about the gateway or registry server. */
  readonly diagnostics: readonly FoundDiagnostic[];
  /** SHA-256 of the specs of referenced configs, by kind, for `status`. */
  readonly configHashes: { readonly [kind: string]: string };
  /** How often the gateway's status is written when only details change; milliseconds. */
  readonly statusReportingIntervalMs: number;
  readonly backends: readonly UnitBackend[];
  /** The tools of a gateway with a bundle. */
  readonly exposedTools?: readonly ToolCount[] | undefined;
}

export interface UnitBackend {
  readonly name: string;
  readonly url: string;
  readonly authType: string;
  /** Name of the MCPExternalAuthConfig. */
  readonly authConfigRef?: string;
}

export interface FoundDiagnostic {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'hint';
  readonly message: string;
  /** A file of the repository, or `cluster:Kind/namespace/name`. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** `Kind/namespace/name`. */
  readonly object?: string;
  /** RFC 6901, from the root of the object; it decides which condition of a gateway shows the finding. Not displayed. */
  readonly pointer?: string;
}
