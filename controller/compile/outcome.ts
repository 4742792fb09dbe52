/** What compiling a tree gives: plain data, since it comes from a worker process. */
import type { WorkloadKind } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import type { ToolCount } from './exposed-tools.ts';

export interface CompileOutcome {
  /** Everything could be read, and nothing was found at or above the threshold of the project: CI's answer is the cluster's. */
  readonly isGood: boolean;
  /** Compiling came to no end, as on a machine that was too busy: the same tree may compile at another time. */
  readonly isUnfinished?: boolean;
  /** Sorted by kind, namespace and name. Units of a bad outcome show what is known and are not applied. */
  readonly units: readonly CompiledUnit[];
  /** Embedding servers of the repository, for a cluster: nothing that serves a bundle, so no units. */
  readonly embeddingServers?: readonly EmbeddingUnit[];
  /** Objects of our kinds and ConfigMaps as the repository has them, each with its namespace; no Secrets and nothing foreign. */
  readonly objects: readonly KubeObject[];
  /** Where objects stand in the repository, by `Kind/namespace/name`: messages about what the API server refuses name the place. */
  readonly origins?: { readonly [object: string]: { readonly file: string; readonly line: number } };
  /** At most 20, errors first. */
  readonly diagnostics: readonly FoundDiagnostic[];
  readonly counts: { readonly errors: number; readonly warnings: number; readonly hints: number };
  /** `sha256:…` over the digests of all bundles. */
  readonly digest: string;
  /** Documents that are not ours: left alone, and counted so that operators see why. */
  readonly ignored: number;
  /** TypeScript programs in the path that render specs, which never run here. Relative to the path. */
  readonly programs: readonly string[];
  /** Address of the documentation as a site, as the project names it. */
  readonly documentation?: string | undefined;
}

export interface EmbeddingUnit {
  readonly namespace: string;
  readonly name: string;
  /** What runs it, with defaults, sorted in the order of applying. */
  readonly manifests: readonly KubeObject[];
}

/** A gateway, a server behind one or a registry server. */
export interface CompiledUnit {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
  /** `sha256:…`; null without a bundle. */
  readonly digest: string | null;
  /** What runs it, with defaults, sorted in the order of applying; empty without a bundle. */
  readonly manifests: readonly KubeObject[];
  /** Files of the bundle, relative to its directory, for a destination that is a folder; only those that were asked for. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** First findings that concern it. */
  readonly diagnostics: readonly FoundDiagnostic[];
  /** SHA-256 of the specs of the configs that it refers to, by kind, for `status`. */
  readonly configHashes: { readonly [kind: string]: string };
  /** Settings that status reporting needs. */
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
  /** In the repository, or `cluster:Kind/namespace/name`. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** `Kind/namespace/name`. */
  readonly object?: string;
  /** RFC 6901, from the root of the object: which condition of a gateway it decides. Not shown. */
  readonly pointer?: string;
}
