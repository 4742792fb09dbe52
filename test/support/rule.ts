/** Runs a single rule, by its name, over the objects of a YAML text, which must have no structural errors. */
import { expect } from 'vitest';
import type { Diagnostic } from '#compiler';
import { ACCEPTED_API_GROUPS, API_GROUP, FOREIGN_KINDS, STORAGE_VERSION } from '#schemas';
import { checkDocument } from '../../compiler/check/check-document.ts';
import { withDefaults } from '../../compiler/check/defaults.ts';
import { readTexts, SourceText } from '../../compiler/index.ts';
import { Inventory, type Resource } from '../../compiler/resolve/inventory.ts';
import { RULES } from '../../compiler/rules/index.ts';
import { classify, type ResourceDocument } from '../../compiler/source/classify.ts';
import { KINDS } from '../../compiler/source/kinds.ts';
import { findRule } from './named-rule.ts';

/** One Lintel object: its `spec` in flow style, or in block style when it starts with a line break. */
export function object(kind: string, spec: string, name = 'it'): string {
  return `apiVersion: ${API_GROUP}/${STORAGE_VERSION}\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
}

/** A gateway with these fields in addition to its group, in block style; they start on line 6, column 3. */
export function gateway(fields: string, name = 'it'): string {
  return object('VirtualMCPServer', `\n  groupRef: { name: tools }\n  ${fields.trim()}`, name);
}

/** A gateway for anonymous callers with this `config` in flow style, which starts on line 7, column 11. */
export function gatewayConfig(config: string): string {
  return gateway(`incomingAuth: { type: anonymous }\n  config: ${config}`);
}

/** Findings as `LNT1008 warning 4:9 the message`, in the order of the rule. */
export function judge(rule: string, ...objects: readonly string[]): string[] {
  return findings(rule, ...objects).map(
    ({ code, severity, range, message }) => `${code} ${severity} ${range.start.line}:${range.start.column} ${message}`,
  );
}

/** The findings of a rule as objects. */
export function findings(name: string, ...objects: readonly string[]): Diagnostic[] {
  const rule = findRule(RULES, name);
  const { resources, inventory } = readObjects(...objects);
  return resources.flatMap(resource => rule(resource, inventory));
}

/** Parses objects into the form that rules get. */
export function readObjects(...objects: readonly string[]): {
  readonly resources: readonly Resource[];
  readonly inventory: Inventory;
} {
  const { documents, diagnostics } = readTexts([new SourceText('spec.yaml', objects.join('---\n'))]);
  const options = { groups: ACCEPTED_API_GROUPS, kinds: [...KINDS.keys()], foreignKinds: FOREIGN_KINDS };
  const classified = classify(documents, options);
  const broken = [...diagnostics, ...classified.diagnostics, ...classified.resources.flatMap(structure)];
  expect(broken.filter(({ severity }) => severity === 'error')).toEqual([]);
  const resources = classified.resources.map(resourceOf);
  return { resources, inventory: new Inventory([...resources, ...classified.targets.map(targetOf)]) };
}

function structure(document: ResourceDocument): readonly Diagnostic[] {
  const kind = KINDS.get(document.kind);
  return kind === undefined ? [] : checkDocument(document, kind).diagnostics;
}

function resourceOf(document: ResourceDocument): Resource {
  const { kind, namespace, name } = document;
  const schemas = KINDS.get(kind);
  if (schemas === undefined) throw new Error(`no kind ${kind}`);
  const { authored: written, spec: defaulted } = checkDocument(document, schemas);
  const spec = (defaulted ?? withDefaults(schemas.spec, {})) as object;
  return { document, kind, namespace, name, spec, authored: written };
}

function targetOf(document: ResourceDocument): Resource {
  const { kind, namespace, name, doc } = document;
  return { document, kind, namespace, name, spec: doc.value as object, authored: doc.value };
}
