/** Compiles gateways as a whole: lowers each, runs the rules about whole gateways, and keeps the bundle when no error affects it. */
import type { GatewayBundle, VirtualMCPServerSpec } from '#schemas';
import { listSourceBackends, type SourceBackend } from '../analysis/catalog/index.ts';
import { computeExposure } from '../analysis/exposure/compute-exposure.ts';
import type { Exposure } from '../analysis/exposure/exposure.ts';
import { type GatewayModel, gatewayModel } from '../analysis/gateway/model.ts';
import type { LoweredGateway } from '../analysis/lowered-gateway.ts';
import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { asLanguage, isError, isMistake } from '../diagnostics/is-error.ts';
import { findBlocker } from '../emit/bundle-blockers.ts';
import { lowerGateway } from '../lower/gateway.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { QueryCache } from '../resolve/query-cache.ts';
import { GATEWAY_RULES } from '../rules/gateway/index.ts';
import { secretsOfSeveralGateways } from '../rules/gateway/secrets-of-several-gateways.ts';
import { type ShownSecret, shownSecrets } from '../rules/gateway/shown-secrets.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { byName } from './by-name.ts';
import type { CompileOptions } from './compilation.ts';

const KIND = 'VirtualMCPServer';

export interface CompiledGateway {
  readonly object: ObjectRef;
  /** Null when an error affects this gateway directly or through a reference, or when the runtime does not support everything that it needs. */
  readonly bundle: GatewayBundle | null;
  /** The first error that prevents its build; undefined when there is none, and when the object itself is invalid. */
  readonly blocker: Diagnostic | undefined;
  /** The gateway's model, computed on demand. Null when an error changes its meaning. */
  readonly model: () => GatewayModel | null;
  /** The exposure of the model; null when there is no model. */
  readonly exposure: () => Exposure | null;
  /** Its backends, with or without a bundle; computed on demand. Undefined when its own spec is invalid. */
  readonly backends: (() => readonly SourceBackend[]) | undefined;
}

interface LoweredAndChecked {
  readonly lowered: LoweredGateway;
  /** Found during lowering, and by the rules about the whole gateway. */
  readonly found: readonly Diagnostic[];
  readonly secrets: readonly ShownSecret[];
  /** Whether the rules about the whole gateway ran. */
  readonly isWhole: boolean;
}

/** @param errorsFor - errors of earlier stages that may affect a gateway of a namespace */
export function compileGateways(
  documents: readonly ResourceDocument[],
  inventory: Inventory,
  options: CompileOptions,
  errorsFor: (namespace: string) => readonly Diagnostic[],
  memory: QueryCache,
): {
  readonly gateways: readonly CompiledGateway[];
  readonly diagnostics: readonly Diagnostic[];
  /** The number of gateways that errors excluded from rules about whole gateways. */
  readonly open: number;
} {
  const compiled = documents
    .filter(({ kind }) => kind === KIND)
    .map((document, done, { length: total }) => {
      options.onProgress?.({ work: 'compiling gateways', done, total, object: document.object });
      const gateway = inventory.find<VirtualMCPServerSpec>(KIND, document.namespace, document.name);
      if (gateway?.document !== document) return { gateway: invalid(document), found: [], secrets: [], isWhole: false };
      const checked = memory.among('lowered', gateway, inventory, all => checkGateway(gateway, all, options));
      return {
        ...checked,
        gateway: compileGateway(gateway, checked, inventory, options, errorsFor(gateway.namespace)),
      };
    });
  const found = compiled.flatMap(one => one.found);
  return {
    gateways: compiled.map(({ gateway }) => gateway).sort(byName),
    diagnostics: [
      ...(options.purpose === 'language' ? found.map(asLanguage) : found),
      ...secretsOfSeveralGateways(compiled.flatMap(({ secrets }) => secrets)),
    ],
    open: compiled.filter(({ isWhole }) => !isWhole).length,
  };
}

/** Objects with errors, and the second of two with the same name. */
function invalid({ object }: ResourceDocument): CompiledGateway {
  return { object, bundle: null, blocker: undefined, model: () => null, exposure: () => null, backends: undefined };
}

function checkGateway(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  options: CompileOptions,
): LoweredAndChecked {
  const lowered = lowerGateway(gateway, inventory, options.origin, options.catalog);
  // A plan with errors is meaningless, so rules about whole gateways are skipped.
  if (lowered.diagnostics.some(isMistake)) return { lowered, found: lowered.diagnostics, secrets: [], isWhole: false };
  const model = gatewayModel(gateway, inventory, lowered, options.catalog, options);
  const found = [...lowered.diagnostics, ...GATEWAY_RULES.flatMap(rule => rule(model))];
  return { lowered, found, secrets: shownSecrets(model), isWhole: true };
}

function compileGateway(
  gateway: Resource<VirtualMCPServerSpec>,
  { lowered, found }: LoweredAndChecked,
  inventory: Inventory,
  { origin, catalog }: CompileOptions,
  errors: readonly Diagnostic[],
): CompiledGateway {
  const isBroken = lowered.diagnostics.some(isMistake);
  // Plans are large and few callers need more than the bundle, so the plan is computed again on demand rather than kept.
  const again = () => lowerGateway(gateway, inventory, origin, catalog);
  const blocker = findBlocker(gateway, inventory, [...errors, ...found.filter(isError)]);
  // Unsupported features and findings of rules do not prevent showing the gateway.
  const model = () =>
    isBroken || findBlocker(gateway, inventory, errors) !== undefined
      ? null
      : gatewayModel(gateway, inventory, again(), catalog);
  return {
    object: gateway.document.object,
    bundle: blocker === undefined ? lowered.bundle : null,
    blocker,
    model,
    exposure: () => {
      const whole = model();
      return whole && computeExposure(whole);
    },
    backends: () => listSourceBackends(again()),
  };
}
