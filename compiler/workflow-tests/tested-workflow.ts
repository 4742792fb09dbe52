import type { CompositeModel } from '../analysis/gateway/composites.ts';
import type { GatewayModel } from '../analysis/gateway/model.ts';
import { lowerWorkflow } from '../analysis/gateway/workflow.ts';
import type { CompiledGateway } from '../compile/gateways.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { formatObjectKey } from '../diagnostics/object-key.ts';
import { createConfigurationError } from '../project/index.ts';
import { createRelatedLocation, locateValue } from '../source/locate-finding.ts';
import { formatList } from '../text/describe.ts';
import { createUnknownName } from './known-names.ts';
import type { TestedWorkflow } from './planned-test.ts';
import type { TestFile } from './test-file.ts';

/** The workflows of gateways. None while the specs have errors, which are reported separately. */
export class Workflows {
  readonly #gateways: readonly { readonly name: string; readonly model: GatewayModel | null }[];
  readonly #tested = new Map<CompositeModel, TestedWorkflow>();

  /** @param errors of the specs */
  constructor(gateways: readonly CompiledGateway[], errors: readonly Diagnostic[]) {
    const broken = new Set(errors.flatMap(({ object }) => (object === undefined ? [] : formatObjectKey(object))));
    this.#gateways = gateways.map(({ object, model: modelOf }) => {
      const model = modelOf();
      const objects = [object, ...(model?.composites.map(({ resource }) => resource.document.object) ?? [])];
      const isSound = !objects.some(objectRef => broken.has(formatObjectKey(objectRef)));
      return { name: `${object.namespace}/${object.name}`, model: isSound ? model : null };
    });
  }

  /** Every runnable workflow; a definition that several gateways share occurs once. */
  get all(): readonly { readonly gateway: GatewayModel; readonly composite: CompositeModel }[] {
    const seen = new Set<object>();
    return this.#models.flatMap(gateway =>
      gateway.composites.flatMap(composite => {
        if (seen.has(composite.tool)) return [];
        seen.add(composite.tool);
        return [{ gateway, composite }];
      }),
    );
  }

  /** The workflow that a file refers to, or why there is none; neither is set when errors in the specs make it unknown. */
  of(file: TestFile): TestedWorkflow | Diagnostic | undefined {
    const { document, value } = file;
    const gatewayName = value.gateway;
    const names = this.#gateways.map(({ name }) => name);
    const chosen = this.#gateways.filter(
      ({ name }) => gatewayName === undefined || name === gatewayName || name.endsWith(`/${gatewayName}`),
    );
    if (gatewayName !== undefined && chosen.length === 0) {
      const { message, ...details } = createUnknownName(`no gateway is named "${gatewayName}"`, gatewayName, [
        ...names,
        ...names.map(name => name.slice(name.indexOf('/') + 1)),
      ]);
      return createConfigurationError(document, ['gateway'], 'LNT7031', message, details);
    }
    const models = chosen.flatMap(({ model }) => model ?? []);
    const found = models.flatMap(gateway =>
      gateway.composites
        .filter(({ name }) => name === value.workflow)
        .map(composite => ({ gateway, composite, name: `${gateway.resource.namespace}/${gateway.resource.name}` })),
    );
    const [only, ...others] = found;
    if (only === undefined) {
      if (models.length < chosen.length) return undefined;
      const all = models.flatMap(({ composites }) => composites.map(({ name }) => name));
      const whose = gatewayName === undefined ? 'no gateway' : `the gateway "${gatewayName}"`;
      const { message, ...details } = createUnknownName(
        `${whose} has ${gatewayName === undefined ? 'a' : 'no'} workflow "${value.workflow}"`,
        value.workflow,
        all,
      );
      return createConfigurationError(document, ['workflow'], 'LNT7031', message, details);
    }
    if (others.length > 0) {
      const whose = formatList(found.map(({ name }) => name));
      const message = `several gateways have a workflow "${value.workflow}": ${whose}`;
      return createConfigurationError(document, ['workflow'], 'LNT7031', message, {
        fix: `say which one is meant: gateway: ${only.name}`,
      });
    }
    return this.#lowerWorkflow(only.gateway, only.composite, file);
  }

  get #models(): readonly GatewayModel[] {
    return this.#gateways.flatMap(({ model }) => model ?? []);
  }

  #lowerWorkflow(
    gateway: GatewayModel,
    composite: CompositeModel,
    { document }: TestFile,
  ): TestedWorkflow | Diagnostic {
    const unlocked = composite.calls.find(({ target }) => target.type === 'unknown');
    if (unlocked !== undefined) {
      const { call, step, callPath } = unlocked;
      const message = `step "${step.id}" of "${composite.name}" calls "${call.tool}", which is not in the tool lock`;
      return createConfigurationError(document, ['workflow'], 'LNT7031', message, {
        related: [createRelatedLocation('the call', composite.resource.document.doc, [...callPath, 'tool'])],
        help: 'Run `lintel lock` where the backends can be reached',
      });
    }
    const before = this.#tested.get(composite);
    if (before !== undefined) return before;
    const tested = { gateway, composite, plan: lowerWorkflow(composite) };
    this.#tested.set(composite, tested);
    return tested;
  }
}

/** Where a workflow is defined. */
export function locateWorkflow({ composite }: Pick<TestedWorkflow, 'composite'>, step?: string) {
  const { resource, path, tool } = composite;
  const { doc } = resource.document;
  if (step === undefined) return locateValue(doc, [...path, 'name']);
  const index = tool.steps.findIndex(({ id }) => id === step);
  return locateValue(doc, [...path, 'steps', index, 'id']);
}
