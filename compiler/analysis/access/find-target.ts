/** Resolves a name at a gateway, as far as the tool lock knows. */

import { type CatalogItem, isObject } from '#schemas';
import {
  type CedarAction,
  type CedarTarget,
  MAX_URI_LENGTH,
  readUriTemplate,
  TOOL_HINTS,
  type WithheldItem,
} from '#shared/plan';
import { findNearest } from '#shared/util';
import { buildCompositeDefinition } from '../exposure/composite-definition.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { stripPrefix } from './bare-name.ts';
import { explainWithheld, whyUnchecked } from './withheld-workflow.ts';

export type TargetLookup =
  /** Clients can request the item, if policies permit. */
  | { readonly type: 'offered'; readonly target: CedarTarget; readonly definition: CatalogItem }
  /** Clients cannot request the item, even if policies permit it. */
  | { readonly type: 'withheld'; readonly why: string }
  /**
   * The catalog cannot tell whether the item exists. `targets`: every item that it may be; the first states no hints. `isHandedOn`: the
   * gateway sends the request to a backend in any case.
   */
  | {
      readonly type: 'unchecked';
      readonly targets: readonly [CedarTarget, ...CedarTarget[]];
      readonly why: string;
      readonly isHandedOn: boolean;
    }
  | { readonly type: 'unknown'; readonly nearest: string | undefined };

export function findTarget(gateway: GatewayModel, action: CedarAction, name: string): TargetLookup {
  switch (action) {
    case 'call_tool':
      return findTool(gateway, name);
    case 'get_prompt':
      return findPrompt(gateway, name);
    case 'read_resource':
      return findResource(gateway, name);
  }
}

/** Every item that clients can request, in the order of the model. */
export function listAdvertisedTools(gateway: GatewayModel): readonly CatalogItem[] {
  const shown = gateway.tools.filter(({ advertised }) => advertised).map(({ definition }) => definition);
  const served = gateway.composites.filter(composite => explainWithheld(gateway, composite) === undefined);
  return [...shown, ...served.map(buildCompositeDefinition)];
}

function findTool(gateway: GatewayModel, name: string): TargetLookup {
  const offered = listAdvertisedTools(gateway);
  const definition = offered.find(tool => tool.name === name);
  const workflow = gateway.composites.find(composite => composite.name === name);
  const unchecked = workflow && whyUnchecked(gateway, workflow);
  if (definition !== undefined && unchecked !== undefined) {
    // The hints of the workflow depend on the unknown tool.
    const stated = isObject(definition.annotations) ? definition.annotations : {};
    const targets = listHintCombinations().map(annotations => ({
      name,
      annotations: { ...stated, ...annotations },
    }));
    return {
      type: 'unchecked',
      targets: [{ name, annotations: definition.annotations }, ...targets],
      why: unchecked,
      isHandedOn: false,
    };
  }
  if (definition !== undefined) return toFound(name, definition);
  const hidden = gateway.toolNames.findByName(name);
  if (hidden !== undefined) {
    const why =
      hidden.fault === undefined ? 'the gateway hides it' : `the gateway withholds it: ${hidden.fault.detail}`;
    return { type: 'withheld', why: `${why}, so clients cannot call it under its name` };
  }
  const cause = workflow && explainWithheld(gateway, workflow);
  if (cause !== undefined) return { type: 'withheld', why: `the gateway withholds the workflow: ${cause}` };
  return toWithheldOr(
    gateway,
    gateway.withheld.tools,
    name,
    offered.map(getName),
    [{ name }, ...listHintCombinations().map(annotations => ({ name, annotations }))],
    mayBeUnlocked(gateway, name),
  );
}

/** Whether a backend outside of the tool lock may have a tool of that name. With prefixes, the name tells which backend. */
function mayBeUnlocked({ backends, plan, isLocked }: GatewayModel, name: string): boolean {
  // If the gateway has no backends, prefixes do not tell which backend is meant.
  if (backends.length === 0 || plan.aggregation.strategy !== 'prefix') return !isLocked;
  return backends.some(({ locked, plan: { tools } }) => locked === undefined && stripPrefix(name, tools) !== undefined);
}

function findPrompt(gateway: GatewayModel, name: string): TargetLookup {
  const prompt = gateway.prompts.find(entry => entry.name === name);
  if (prompt !== undefined) return toFound(name, prompt.definition);
  return toWithheldOr(
    gateway,
    gateway.withheld.prompts,
    name,
    gateway.prompts.map(entry => entry.name),
    [{ name }],
  );
}

function findResource(gateway: GatewayModel, uri: string): TargetLookup {
  const resources = [...gateway.resources, ...gateway.resourceTemplates];
  const known = resources.find(resource => resource.uri === uri);
  if (known !== undefined) return toFound(uri, known.definition);
  if (gateway.resourceTemplates.some(template => fitsTemplate(template.uri, uri))) {
    const why = 'no backend lists it, though a template may be for it';
    return { type: 'unchecked', targets: [{ name: uri }], why, isHandedOn: true };
  }
  return toWithheldOr(
    gateway,
    [],
    uri,
    resources.map(resource => resource.uri),
    [{ name: uri }],
  );
}

/** The gateway finds the backend of a URI that no list has in the same way. */
function fitsTemplate(template: string, uri: string): boolean {
  return uri.length <= MAX_URI_LENGTH && readUriTemplate(template)?.matches(uri) === true;
}

function toFound(name: string, definition: CatalogItem): TargetLookup {
  return { type: 'offered', target: { name, annotations: definition.annotations }, definition };
}

function toWithheldOr(
  { isLocked, catalog }: GatewayModel,
  withheld: readonly WithheldItem[],
  name: string,
  names: readonly string[],
  targets: readonly [CedarTarget, ...CedarTarget[]],
  mayBeThere = !isLocked,
): TargetLookup {
  const conflict = withheld.find(item => item.name === name);
  if (conflict !== undefined)
    return { type: 'withheld', why: `the gateway withholds it, because ${WHY[conflict.reason]}` };
  if (!mayBeThere) return { type: 'unknown', nearest: findNearest(name, names) };
  const what = catalog === undefined ? 'there is no tool lock' : `${catalog.file} does not know all backends`;
  return { type: 'unchecked', targets, why: `${what}, so it cannot be checked whether it exists`, isHandedOn: false };
}

const WHY: { readonly [R in WithheldItem['reason']]: string } = {
  collision: 'several backends claim its name',
  outranked: 'another backend has its name',
};

/** Every combination of hints: each is true, false or unstated. */
function listHintCombinations(): readonly Readonly<Record<string, boolean>>[] {
  return TOOL_HINTS.reduce<readonly Readonly<Record<string, boolean>>[]>(
    (all, hint) => all.flatMap(stated => [stated, { ...stated, [hint]: true }, { ...stated, [hint]: false }]),
    [{}],
  );
}

function getName({ name }: CatalogItem): string {
  return String(name);
}
