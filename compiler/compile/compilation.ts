/** What is asked of the compiler, and what it answers. */
import type { Catalog } from '../analysis/catalog/index.ts';
import type { GatewaySettings } from '../analysis/gateway/settings.ts';
import type { ObjectRef } from '../diagnostics/diagnostic.ts';
import type { CheckedCounts } from '../diagnostics/render/summary.ts';
import type { Findings } from '../diagnostics/report.ts';
import type { LintOptions } from '../lint/index.ts';
import type { Origin } from '../lower/gateway.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { CompiledEmbeddingServer } from './embedding-servers.ts';
import type { CompiledGateway } from './gateways.ts';
import type { CompiledRegistry } from './registries.ts';

export interface CompileOptions extends GatewaySettings {
  /**
   * `language` judges the specs alone, so what the runtime cannot do yet is a hint; for `check` and `build` it is an error.
   * For `build` no error can be suppressed. Whatever the purpose, no bundle leaves out what its spec asks for.
   */
  readonly purpose: 'language' | 'check' | 'build';
  readonly origin: Origin;
  /** What backends offer. Without it, what depends on their tools is not judged or only hinted at. */
  readonly catalog?: Catalog | undefined;
  /** Which findings count, and how much. It never changes whether a bundle is built. */
  readonly project?: LintOptions | undefined;
  /** The namespace of objects that name none; `default` when not given. */
  readonly defaultNamespace?: string | undefined;
  /** Called for each object that is worked on, for a person who waits at a terminal. */
  readonly onProgress?: ((progress: CompileProgress) => void) | undefined;
  /** Today, such as `2026-03-31`; suppressions that end before it are expired. */
  readonly today?: string | undefined;
}

export interface CompileProgress {
  readonly work: 'checking objects' | 'applying rules' | 'compiling gateways';
  readonly done: number;
  readonly total: number;
  /** What is worked on. */
  readonly object: ObjectRef;
}

export interface Compilation {
  /** Sorted by namespace and name. */
  readonly gateways: readonly CompiledGateway[];
  /** MCPServers and MCPRemoteProxies that our manifests serve, each as a gateway of one backend; sorted by namespace and name. */
  readonly servers: readonly CompiledGateway[];
  /** Sorted by namespace and name. */
  readonly registries: readonly CompiledRegistry[];
  /** Sorted by namespace and name. */
  readonly embeddingServers: readonly CompiledEmbeddingServer[];
  /** All objects of our kinds that have an identity, valid or not, and ConfigMaps, in the order of the sources. */
  readonly objects: readonly ResourceDocument[];
  readonly findings: Findings;
  /** Whether an error was found, before suppressions and severities apply: these decide which bundles are built. */
  readonly hasErrors: boolean;
  /** Objects that are too broken to say what they describe, as far as it is known which they are. */
  readonly broken: readonly ObjectRef[];
  /** `complete` is false when something could not be read at all: neither "clean" nor "wrong" would be the truth. */
  readonly checked: CheckedCounts;
}
