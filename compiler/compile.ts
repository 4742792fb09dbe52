/**
 * The whole compiler as one pure function: classify, check, resolve, judge, lower. Every stage adds diagnostics and none
 * throws for a user's mistake; an object with errors is judged as far as they leave it certain, and is not lowered, while its
 * siblings go on. `lintel check`, the
 * controller and `lintel dev` call this same function, so CI's answer is the cluster's.
 */
import {
  ACCEPTED_API_GROUPS,
  compareText,
  FOREIGN_KINDS,
  type GatewayBundle,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { Catalog } from './analysis/catalog/catalog.ts';
import { backendsOf, type SourceBackend } from './analysis/catalog/source-backends.ts';
import type { Exposure } from './analysis/exposure/exposure.ts';
import { exposureOf } from './analysis/exposure/exposure-of.ts';
import { type GatewayModel, gatewayModel } from './analysis/gateway/model.ts';
import type { GatewaySettings } from './analysis/gateway/settings.ts';
import type { LoweredGateway } from './analysis/lowered-gateway.ts';
import { checkObject } from './check/check-object.ts';
import { withoutDoubt } from './check/doubt.ts';
import { type CompiledRegistry, compileRegistries } from './compile/registries.ts';
import type { Diagnostic, ObjectRef } from './diagnostics/diagnostic.ts';
import { asLanguage, isError, isMistake } from './diagnostics/is-error.ts';
import { notJudged } from './diagnostics/not-judged.ts';
import type { CheckedCounts } from './diagnostics/render/summary.ts';
import { type Findings, Report } from './diagnostics/report.ts';
import { blockerOf, concernsEveryGateway } from './emit/blocked.ts';
import { embeddingManifests } from './emit/manifests/embedding/embedding-manifests.ts';
import type { Manifest } from './emit/manifests/manifest.ts';
import { lowerGateway, type Origin } from './lower/gateway.ts';
import { DEFAULT_JUDGEMENT, type Judgement } from './policy/project.ts';
import { review } from './policy/review.ts';
import { duplicateObjects } from './resolve/duplicates.ts';
import { Inventory, type Resource } from './resolve/inventory.ts';
import { type Memory, NO_MEMORY } from './resolve/memory.ts';
import { deniedHosts } from './rules/denied-hosts.ts';
import { GATEWAY_RULES } from './rules/gateway/index.ts';
import { secretsOfSeveralGateways } from './rules/gateway/secrets-of-several-gateways.ts';
import { type ShownSecret, shownSecrets } from './rules/gateway/shown-secrets.ts';
import { judgeInDoubt, judgeObject } from './rules/judge-object.ts';
import { classify, type ResourceDocument } from './source/classify.ts';
import { KINDS } from './source/kinds.ts';
import type { Sources } from './source/read-sources.ts';

const EMBEDDING_SERVER = 'EmbeddingServer';

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
  readonly project?: Judgement | undefined;
  /** Of objects that name none; `default` when not given. */
  readonly defaultNamespace?: string | undefined;
  /** The day, such as `2026-03-31`, from which suppressions are expired that hold until an earlier one. */
  readonly today?: string | undefined;
}

export interface CompiledGateway {
  readonly object: ObjectRef;
  /**
   * Null when an error concerns this gateway, directly or through what it refers to, or when the runtime cannot do all that
   * it asks for.
   */
  readonly bundle: GatewayBundle | null;
  /** The first error that keeps it from being built; undefined when none does, and when the object itself is not valid. */
  readonly blocker: Diagnostic | undefined;
  /** All that is known about it; computed when asked for. Null when an error makes the gateway other than it is meant. */
  readonly model: () => GatewayModel | null;
  /** The model as seen from outside; null when there is none. */
  readonly exposure: () => Exposure | null;
  /** Its backends, with or without a bundle; worked out when asked for. Undefined when its own spec is broken. */
  readonly backends: (() => readonly SourceBackend[]) | undefined;
}

export interface CompiledEmbeddingServer {
  readonly object: ObjectRef;
  readonly document: ResourceDocument;
  /** What runs it, in the order of applying; empty when an error concerns it. */
  readonly manifests: readonly Manifest[];
}

export interface Compilation {
  /** Sorted by namespace and name. */
  readonly gateways: readonly CompiledGateway[];
  /** Sorted by namespace and name. */
  readonly registries: readonly CompiledRegistry[];
  /** Sorted by namespace and name. */
  readonly embeddingServers: readonly CompiledEmbeddingServer[];
  /** All objects of our kinds that have an identity, valid or not, and ConfigMaps, in the order of the sources. */
  readonly objects: readonly ResourceDocument[];
  readonly findings: Findings;
  /** Whether an error was found, before anybody had a say in what counts: what bundles are built goes by these. */
  readonly hasErrors: boolean;
  /** Objects that are too broken to say what they describe, as far as it is known which they are. */
  readonly broken: readonly ObjectRef[];
  /** `complete` is false when something could not be read at all: neither "clean" nor "wrong" would be the truth. */
  readonly checked: CheckedCounts;
}

/** @param memory - Of earlier compilations with equal options, to be quicker; see `createCompiler`. */
export function compile(sources: Sources, options: CompileOptions, memory: Memory = NO_MEMORY): Compilation {
  const { project = DEFAULT_JUDGEMENT, purpose, today } = options;
  const shown = (found: readonly Diagnostic[]) => (purpose === 'language' ? found.map(asLanguage) : found);
  const report = new Report();
  report.addAll(sources.diagnostics);
  if (!sources.complete) report.markIncomplete();

  const classifyOptions = {
    groups: [...ACCEPTED_API_GROUPS, ...project.apiGroups],
    kinds: [...KINDS.keys()],
    foreignKinds: FOREIGN_KINDS,
    named: sources.named,
    ...(options.defaultNamespace !== undefined && { defaultNamespace: options.defaultNamespace }),
  };
  const classified = classify(sources.documents, classifyOptions, memory);
  const { resources: ours, targets, rejected } = classified;
  report.addAll(classified.diagnostics);

  const checked = ours.map(document => memory.of('checked', document, () => checkObject(document)));
  const core = targets.map(target => memory.of('core', target, () => coreResource(target)));
  const resources = checked.flatMap(({ resource }) => resource ?? []);
  const broken = [
    ...rejected,
    ...checked.filter(({ resource }) => resource === undefined).map(({ document }) => document),
  ];
  const inventory = new Inventory([...resources, ...core], broken);
  // Objects with errors see one another as far as they are sound. Sound ones do without them: their errors decide about bundles.
  const inDoubt = checked.flatMap(({ inDoubt }) => inDoubt ?? []);
  const withDoubt =
    inDoubt.length === 0
      ? inventory
      : new Inventory([...checked.flatMap(({ resource, inDoubt }) => resource ?? inDoubt ?? []), ...core], broken);
  const judged = [
    ...checked.flatMap(({ diagnostics }) => diagnostics),
    ...duplicateObjects([...ours, ...targets]),
    ...resources.flatMap(resource => memory.among('judged', resource, inventory, all => judgeObject(resource, all))),
    ...inDoubt.flatMap(resource => memory.among('judged', resource, withDoubt, all => judgeInDoubt(resource, all))),
    ...resources.flatMap(resource => deniedHosts(resource, options.denial)),
    ...inDoubt.flatMap(resource => withoutDoubt(() => deniedHosts(resource, options.denial))?.result ?? []),
  ];
  report.addAll(judged);
  // What could not be checked is never a pass.
  if (judged.some(({ code }) => code === 'LNT1020')) report.markIncomplete();

  const errorsFor = errorsByNamespace([...sources.diagnostics, ...classified.diagnostics, ...judged]);
  const secretsShown: ShownSecret[] = [];
  const gateways = ours
    .filter(document => document.kind === 'VirtualMCPServer')
    .map(document => {
      const gateway = inventory.find<VirtualMCPServerSpec>(document.kind, document.namespace, document.name);
      if (gateway?.document !== document) {
        return {
          object: document.object,
          bundle: null,
          blocker: undefined,
          model: () => null,
          exposure: () => null,
          backends: undefined,
        };
      }
      const { lowered, found, secrets } = memory.among('lowered', gateway, inventory, all =>
        lower(gateway, all, options),
      );
      secretsShown.push(...secrets);
      report.addAll(shown(found));
      const isBroken = lowered.diagnostics.some(isMistake);
      // A plan is large and few ask for more than its bundle: it is made again for them rather than kept for all.
      const again = () => lowerGateway(gateway, inventory, options.origin, options.catalog);
      const blocker = blockerOf(gateway, inventory, [...errorsFor(gateway.namespace), ...found.filter(isError)]);
      // What the runtime cannot do yet, and what rules think of the gateway as a whole, is no reason not to show it.
      const model = () =>
        isBroken || blockerOf(gateway, inventory, errorsFor(gateway.namespace)) !== undefined
          ? null
          : gatewayModel(gateway, inventory, again(), options.catalog);
      return {
        object: document.object,
        bundle: blocker === undefined ? lowered.bundle : null,
        blocker,
        model,
        exposure: () => {
          const whole = model();
          return whole && exposureOf(whole);
        },
        backends: () => backendsOf(again()),
      };
    })
    .sort(byName);
  report.addAll(secretsOfSeveralGateways(secretsShown));

  const { registries, diagnostics } = compileRegistries(
    classified.registryConfigs,
    ours.filter(document => document.kind === 'MCPRegistry'),
    {
      inventory,
      broken,
      files: sources,
      memory,
      denial: options.denial,
      gatewayOf: (namespace, name) =>
        gateways.find(({ object }) => object.namespace === namespace && object.name === name),
    },
    options.origin,
    [...sources.diagnostics, ...classified.diagnostics, ...judged],
  );
  report.addAll(shown(diagnostics));
  // A configuration inside of an object may pass a ceiling like a file of its own.
  if (diagnostics.some(({ code }) => code === 'LNT1017')) report.markIncomplete();

  const hasLock = options.catalog?.isWhole === true;
  const isForPods = options.target === 'pods';
  return {
    gateways,
    registries: registries.toSorted(byName),
    embeddingServers: resources
      .filter(resource => inventory.find(EMBEDDING_SERVER, resource.namespace, resource.name) === resource)
      .map(resource => compiledEmbeddingServer(resource, errorsFor(resource.namespace)))
      .sort(byName),
    objects: [...ours, ...targets.filter(({ kind }) => kind === 'ConfigMap')],
    hasErrors: report.hasErrors,
    findings: report.findings(found =>
      review(found, {
        project,
        purpose,
        texts: sources.texts,
        wasRun: sources.wasRun,
        documents: [...ours, ...targets, ...classified.registryConfigs, ...rejected],
        hasLock,
        isForPods,
        complete: report.complete,
        today,
      }),
    ),
    broken: broken.map(({ object }) => object),
    checked: {
      files: sources.texts.size,
      objects: ours.length + classified.registryConfigs.length,
      foreign: classified.foreign,
      complete: report.complete,
      notJudged: gateways.length === 0 ? [] : notJudged(hasLock, isForPods),
    },
  };
}

interface Lowered {
  readonly lowered: LoweredGateway;
  /** By lowering and by the rules about the whole gateway. */
  readonly found: readonly Diagnostic[];
  readonly secrets: readonly ShownSecret[];
}

function lower(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory, options: CompileOptions): Lowered {
  const lowered = lowerGateway(gateway, inventory, options.origin, options.catalog);
  // A plan with errors in it means nothing, so there is nothing to judge.
  if (lowered.diagnostics.some(isMistake)) return { lowered, found: lowered.diagnostics, secrets: [] };
  const model = gatewayModel(gateway, inventory, lowered, options.catalog, options);
  return { lowered, found: [...lowered.diagnostics, ...judge(model)], secrets: shownSecrets(model) };
}

function judge(gateway: GatewayModel): readonly Diagnostic[] {
  return GATEWAY_RULES.flatMap(rule => rule(gateway));
}

function compiledEmbeddingServer(server: Resource, errors: readonly Diagnostic[]): CompiledEmbeddingServer {
  const { document, kind, name } = server;
  const isBroken = errors.some(({ object }) => object === undefined || (object.kind === kind && object.name === name));
  return { object: document.object, document, manifests: isBroken ? [] : embeddingManifests(server) };
}

function coreResource(document: ResourceDocument): Resource {
  const { kind, namespace, name } = document;
  return { document, kind, namespace, name, spec: document.doc.value as object, written: document.doc.value };
}

function byName(a: { readonly object: ObjectRef }, b: { readonly object: ObjectRef }): number {
  return compareText(a.object.namespace, b.object.namespace) || compareText(a.object.name, b.object.name);
}

/** The errors that may concern a gateway: those of its namespace, within which references stay, and those that concern all. */
function errorsByNamespace(found: readonly Diagnostic[]): (namespace: string) => readonly Diagnostic[] {
  const errors = found.filter(isError);
  const placeless = errors.filter(concernsEveryGateway);
  const byNamespace = Map.groupBy(
    errors.filter(error => !concernsEveryGateway(error)),
    ({ object }) => object?.namespace,
  );
  return namespace => [...placeless, ...(byNamespace.get(namespace) ?? [])];
}
