/** Compiles gateways as a whole: lowers each, runs the rules about whole gateways, and keeps the bundle when no error affects it. */
import type { GatewayBundle, VirtualMCPServerSpec } from '#schemas';
import { listSourceBackends, type SourceBackend } from '../analysis/catalog/index.ts';
import { computeBundleDigest } from '../analysis/exposure/bundle-digest.ts';
import { computeExposure } from '../analysis/exposure/compute-exposure.ts';
import type { Exposure } from '../analysis/exposure/exposure.ts';
import { buildGatewayModel, type GatewayModel } from '../analysis/gateway/model.ts';
import type { LoweredGateway } from '../analysis/lowered-gateway.ts';
import { startsWith } from '../check/cel/rule-reads.ts';
import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { asLanguage, isError, isMistake } from '../diagnostics/is-error.ts';
import { findBlocker } from '../emit/bundle-blockers.ts';
import { lowerGateway } from '../lower/gateway.ts';
import { mayHaveBrokenMembers } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { QueryCache } from '../resolve/query-cache.ts';
import { findKnownPart, runGatewayRules } from '../rules/gateway/areas.ts';

import { secretsOfSeveralGateways } from '../rules/gateway/secrets-of-several-gateways.ts';
import { listSentSecrets, type SentSecret } from '../rules/support/sent-secrets.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import { parsePointer } from '../text/pointer.ts';
import { compareByName } from './compare-by-name.ts';
import type { CompileOptions } from './compilation.ts';
import type { CheckedObjects } from './objects.ts';

const KIND = 'VirtualMCPServer';

export interface CompiledGateway {
  readonly object: ObjectRef;
  /**
   * Null when an error affects this gateway directly or through a reference, or when the runtime lacks a feature that the gateway needs.
   */
  readonly bundle: GatewayBundle | null;
  /** The first error that keeps its bundle from being built; undefined when there is none, and when the object itself is invalid. */
  readonly blocker: Diagnostic | undefined;
  /** The gateway's model, computed on demand. Null when an error changes its meaning. */
  readonly model: () => GatewayModel | null;
  /** The exposure of the model; null when there is no model. */
  readonly exposure: () => Exposure | null;
  /** Its backends, with or without a bundle; computed on demand. Undefined when its own spec is invalid. */
  readonly backends: (() => readonly SourceBackend[]) | undefined;
}

interface LoweringResult {
  readonly lowered: LoweredGateway;
  /** Found during lowering, and by the rules about the whole gateway. */
  readonly found: readonly Diagnostic[];
  readonly secrets: readonly SentSecret[];
  /** Whether every rule about whole gateways ran, because no error made a part of this gateway unknown. */
  readonly isWhole: boolean;
}

/** Finds a gateway by its namespace and name. */
export function createGatewayFinder(
  gateways: readonly CompiledGateway[],
): (namespace: string, name: string) => CompiledGateway | undefined {
  return (namespace, name) => gateways.find(({ object }) => object.namespace === namespace && object.name === name);
}

/** @param errorsFor - errors of earlier stages that may affect a gateway of a namespace */
export function compileGateways(
  documents: readonly ResourceDocument[],
  objects: Pick<CheckedObjects, 'inventory' | 'doubts'>,
  options: CompileOptions,
  errorsFor: (namespace: string) => readonly Diagnostic[],
  memory: QueryCache,
): {
  readonly gateways: readonly CompiledGateway[];
  readonly diagnostics: readonly Diagnostic[];
  /** The number of gateways for which errors prevented some or all rules about whole gateways. */
  readonly open: number;
} {
  const { inventory } = objects;
  const compiled = documents
    .filter(({ kind }) => kind === KIND)
    .map((document, done, { length: total }) => {
      options.onProgress?.({ work: 'compiling gateways', done, total, object: document.object });
      const gateway = inventory.find<VirtualMCPServerSpec>(KIND, document.namespace, document.name);
      if (gateway?.document !== document) {
        const found = checkInPart(document, objects, options, memory);
        return { gateway: createInvalidGateway(document), found, secrets: [], isWhole: false };
      }
      const checked = memory.getOrComputeAmong('lowered', gateway, inventory, all =>
        checkGateway(gateway, all, options),
      );
      return {
        ...checked,
        gateway: compileGateway(gateway, checked, inventory, options, errorsFor(gateway.namespace)),
      };
    });
  const found = compiled.flatMap(value => value.found);
  return {
    gateways: compiled.map(({ gateway }) => gateway).sort(compareByName),
    diagnostics: [
      ...(options.purpose === 'language' ? found.map(asLanguage) : found),
      ...secretsOfSeveralGateways(compiled.flatMap(({ secrets }) => secrets)),
    ],
    open: compiled.filter(({ isWhole }) => !isWhole).length,
  };
}

/** The gateway for an object with errors, and for the second of two objects with the same name. */
function createInvalidGateway({ object }: ResourceDocument): CompiledGateway {
  return { object, bundle: null, blocker: undefined, model: () => null, exposure: () => null, backends: undefined };
}

function checkGateway(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  options: CompileOptions,
): LoweringResult {
  const lowered = lowerGateway(gateway, inventory, options.origin, options.catalog);
  const mistakes = lowered.diagnostics.filter(isMistake);
  if (mistakes.length > 0) {
    const own = mistakes.filter(({ object }) => object === gateway.document.object);
    const paths = own.map(({ pointer }) => parsePointer(pointer));
    // A plan with errors lacks parts of the spec; rules only see the parts that the errors do not affect.
    const known = own.length === mistakes.length ? checkKnownPart(gateway, paths, inventory, options) : undefined;
    const found = [...lowered.diagnostics, ...(known?.byRules ?? [])];
    return { lowered, found, secrets: [], isWhole: false };
  }
  const model = buildGatewayModel(gateway, inventory, lowered, options.catalog, options);
  const hasBackends = mayLackBackends(gateway, lowered, inventory);
  const found = [...lowered.diagnostics, ...runGatewayRules(model, { hasBackends })];
  return { lowered, found, secrets: listSentSecrets(model), isWhole: !hasBackends };
}

/** Whether errors in other objects hide backends: in a backend of the group, or in an object that decides which credential the backend gets. */
function mayLackBackends(
  { namespace, spec }: Resource<VirtualMCPServerSpec>,
  { leftOut }: LoweredGateway,
  inventory: Inventory,
): boolean {
  return leftOut.length > 0 || mayHaveBrokenMembers(inventory, namespace, spec.groupRef.name);
}

/** The findings in the unaffected parts of a gateway with structural errors. */
function checkInPart(
  document: ResourceDocument,
  { inventory, doubts }: Pick<CheckedObjects, 'inventory' | 'doubts'>,
  options: CompileOptions,
  memory: QueryCache,
): readonly Diagnostic[] {
  const doubt = doubts.get(document);
  if (doubt === undefined) return [];
  return memory.getOrComputeAmong('lowered in part', doubt, inventory, all => {
    const gateway = doubt.resource as Resource<VirtualMCPServerSpec>;
    const known = checkKnownPart(gateway, doubt.paths, all, options);
    return known === undefined ? [] : [...known.byLowering, ...known.byRules];
  });
}

/** The findings about the parts of a gateway that its errors cannot affect; undefined when the errors may affect every part. */
function checkKnownPart(
  whole: Resource<VirtualMCPServerSpec>,
  doubtful: readonly Path[],
  inventory: Inventory,
  options: CompileOptions,
): { readonly byLowering: readonly Diagnostic[]; readonly byRules: readonly Diagnostic[] } | undefined {
  const part = findKnownPart(whole, doubtful);
  if (part === undefined) return undefined;
  const { gateway, areas, remaining } = part;
  const lowered = lowerGateway(gateway, inventory, options.origin, options.catalog);
  // Drops findings about an object that contains a removed field: it may seem empty only because its only field was removed.
  const byLowering = lowered.diagnostics.filter(
    ({ object, pointer }) =>
      object !== gateway.document.object || !remaining.some(field => startsWith(field, parsePointer(pointer))),
  );
  if (byLowering.some(isMistake)) return { byLowering, byRules: [] };
  const model = buildGatewayModel(gateway, inventory, lowered, options.catalog, options);
  const hasBackends = mayLackBackends(gateway, lowered, inventory);
  return { byLowering, byRules: runGatewayRules(model, { areas, hasBackends }) };
}

function compileGateway(
  gateway: Resource<VirtualMCPServerSpec>,
  { lowered, found }: LoweringResult,
  inventory: Inventory,
  { origin, catalog }: CompileOptions,
  errors: readonly Diagnostic[],
): CompiledGateway {
  const isBroken = lowered.diagnostics.some(isMistake);
  // Plans are large and few callers need more than the bundle, so the plan is not stored but computed again on demand.
  const lowerAgain = () => lowerGateway(gateway, inventory, origin, catalog);
  const blocker = findBlocker(gateway, inventory, [...errors, ...found.filter(isError)]);
  // Unsupported features and findings of rules do not prevent showing the gateway.
  const model = () =>
    isBroken || findBlocker(gateway, inventory, errors) !== undefined
      ? null
      : buildGatewayModel(gateway, inventory, lowerAgain(), catalog);
  return {
    object: gateway.document.object,
    bundle: blocker === undefined ? lowered.bundle : null,
    blocker,
    model,
    exposure: () => {
      const whole = model();
      if (whole === null || blocker !== undefined) return whole && computeExposure(whole);
      return { ...computeExposure(whole), bundle: computeBundleDigest(lowered.bundle) };
    },
    backends: () => listSourceBackends(lowerAgain()),
  };
}
