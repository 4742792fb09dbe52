/** The input and output of the compiler. */
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
   * `language` checks the specs alone, so an unsupported feature is a hint; for `check` and `build` it is an error. For `build` no error can be
   * suppressed. For every purpose, a bundle contains all that its spec requires.
   */
  readonly purpose: 'language' | 'check' | 'build';
  readonly origin: Origin;
  /** The items of backends. Without it, checks that depend on tools are skipped or give only hints. */
  readonly catalog?: Catalog | undefined;
  /** Which findings count, and with which severity. Never affects whether a bundle is built. */
  readonly project?: LintOptions | undefined;
  /** The namespace of objects that name none; default `default`. */
  readonly defaultNamespace?: string | undefined;
  /** Called for each object, to show progress on a terminal. */
  readonly onProgress?: ((progress: CompileProgress) => void) | undefined;
  /** Today's date, such as `2026-03-31`; suppressions with an earlier end are expired. */
  readonly today?: string | undefined;
}

export interface CompileProgress {
  readonly work: 'checking objects' | 'applying rules' | 'compiling gateways';
  readonly done: number;
  readonly total: number;
  /** The object in progress. */
  readonly object: ObjectRef;
}

export interface Compilation {
  /** Sorted by namespace and name. */
  readonly gateways: readonly CompiledGateway[];
  /** MCPServers and MCPRemoteProxies that Lintel's manifests serve, each as a gateway of one backend; sorted by namespace and name. */
  readonly servers: readonly CompiledGateway[];
  /** Sorted by namespace and name. */
  readonly registries: readonly CompiledRegistry[];
  /** Sorted by namespace and name. */
  readonly embeddingServers: readonly CompiledEmbeddingServer[];
  /** All objects of Lintel's kinds that have an identity, valid or not, and ConfigMaps, in source order. */
  readonly objects: readonly ResourceDocument[];
  readonly findings: Findings;
  /** Whether an error was found, before suppressions and severities apply: errors decide which bundles are built. */
  readonly hasErrors: boolean;
  /** Objects that cannot be used because of their errors, as far as their identity is known. */
  readonly broken: readonly ObjectRef[];
  /** `complete` is false when something could not be read at all: then it is unknown whether the sources are right or wrong. */
  readonly checked: CheckedCounts;
}
