import type { CompletionItem, CompletionItemKind } from 'vscode-languageserver';
import { getGroups, getMember, isObject, STORAGE_VERSION } from '#schemas';
import { getValueAt } from '../check/schema-at.ts';
import { EXPLAINED, type FieldLocation, findFieldAt } from '../explain/find-field.ts';
import { takeFirstSentence } from '../explain/layout.ts';
import { REGISTRY_CONFIG_KIND } from '../source/registry-config.ts';
import type { Path } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import { type CompletionContext, findCompletionContext } from './completion-context.ts';
import type { EditedProject } from './edited-project.ts';
import { findDocument, toJsValue } from './locate-node.ts';
import { toLspRange } from './positions.ts';
import { COMPLETION } from './protocol.ts';
import type { GatewayNames } from './tool-names.ts';

/** A possible completion. */
interface Choice {
  readonly label: string;
  readonly kind: CompletionItemKind;
  readonly detail?: string;
  readonly documentation?: string;
}

/** The completions at an offset: fields and values of the schema, names of objects, steps and tools. */
export function computeCompletions(project: EditedProject, source: SourceText, offset: number): CompletionItem[] {
  const context = findCompletionContext(source, offset);
  if (context === undefined) return [];
  const choices = listChoices(project, source, context);
  const range = toLspRange(source, source.range(context.start, context.end));
  const isNewKey = context.part === 'key' && !context.hasColon;
  return choices.map(choice => {
    const isKey = isNewKey && choice.kind === COMPLETION.field;
    return { ...choice, textEdit: { range, newText: isKey ? `${choice.label}: ` : choice.label } };
  });
}

function listChoices(project: EditedProject, source: SourceText, context: CompletionContext): readonly Choice[] {
  const { kind, path, part, siblings } = context;
  const object = toJsValue(context.root);
  const names = project.listGatewayNames(
    findDocument(project.getCompiled(), source, context.start) ?? readIdentity(kind, object),
  );
  const inText = findTextChoices(source.text.slice(0, context.start), context, object, names);
  if (inText !== undefined) return inText;
  if (part === 'value') return listValueChoices(project, context, object, path, names);
  const field = findFieldAt(kind, path);
  // A list item that is not an object yet is an incomplete value.
  if (field !== undefined && field.schema.properties === undefined && typeof path.at(-1) === 'number')
    return listValueChoices(project, context, object, path, names);
  if (field === undefined) return path.length === 0 ? ROOT.filter(({ label }) => !siblings.includes(label)) : [];
  return listKeyChoices(field, object, path, names).filter(({ label }) => !siblings.includes(label));
}

const ROOT: readonly Choice[] = ['apiVersion', 'kind', 'metadata', 'spec'].map(label => ({
  label,
  kind: COMPLETION.field,
}));

function listKeyChoices(
  { schema }: FieldLocation,
  object: unknown,
  path: Path,
  names: GatewayNames | undefined,
): readonly Choice[] {
  if (path.at(-1) === 'overrides') return listWorkloadTools(object, path.slice(0, -1), names, COMPLETION.field);
  return Object.entries(schema.properties ?? {}).map(([label, { description = '', deprecated }]) => ({
    label,
    kind: COMPLETION.field,
    documentation: takeFirstSentence(description),
    ...(schema.required?.includes(label) && { detail: 'required' }),
    ...(deprecated && { detail: 'deprecated' }),
  }));
}

function listValueChoices(
  project: EditedProject,
  { kind }: CompletionContext,
  object: unknown,
  path: Path,
  names: GatewayNames | undefined,
): readonly Choice[] {
  const own = findToolChoices(object, path, names);
  if (own !== undefined) return own;
  if (path.length === 1 && path[0] === 'kind')
    return EXPLAINED.filter(name => name !== REGISTRY_CONFIG_KIND).map(toValueChoice);
  if (path.length === 1 && path[0] === 'apiVersion')
    return getGroups(kind).map(group => toValueChoice(`${group}/${STORAGE_VERSION}`));
  const schema = findFieldAt(kind, path)?.schema;
  if (schema === undefined) return [];
  const target = schema['x-lintel-ref']?.kind;
  if (target !== undefined) {
    const { namespace } = readIdentity(kind, object);
    return project
      .getCompiled()
      .compilation.objects.filter(entry => entry.kind === target && entry.namespace === namespace)
      .map(({ name }) => ({ label: name, kind: COMPLETION.reference, detail: target }));
  }
  if (schema.enum !== undefined) return schema.enum.map(value => toValueChoice(String(value)));
  return schema.type === 'boolean' ? [toValueChoice('true'), toValueChoice('false')] : [];
}

/** Completions for names of tools, workloads and steps; undefined for other fields. */
function findToolChoices(object: unknown, path: Path, names: GatewayNames | undefined): readonly Choice[] | undefined {
  const field = path.findLast(step => typeof step === 'string');
  if (field === 'workload')
    return [...(names?.tools.keys() ?? [])].map(label => ({ label, kind: COMPLETION.reference }));
  if (field === 'filter') return listWorkloadTools(object, path.slice(0, -2), names, COMPLETION.tool);
  if (field === 'tool' && path.includes('steps')) {
    return [...(names?.tools ?? [])].flatMap(([backend, tools]) =>
      tools.map(tool => ({ label: `${backend}.${tool}`, kind: COMPLETION.tool, detail: backend })),
    );
  }
  if (field === 'dependsOn') return listStepIds(object, path, true);
  return undefined;
}

/** @param path within a workload's settings */
function listWorkloadTools(
  object: unknown,
  path: Path,
  names: GatewayNames | undefined,
  kind: CompletionItemKind,
): readonly Choice[] {
  const workload = getMember(getValueAt(object, path), 'workload');
  const tools = typeof workload === 'string' ? names?.tools.get(workload) : undefined;
  return (tools ?? []).map(label => ({ label, kind, detail: String(workload) }));
}

/** @param path within a step */
function listStepIds(object: unknown, path: Path, withoutOwn: boolean): readonly Choice[] {
  const at = path.lastIndexOf('steps');
  const steps = getValueAt(object, path.slice(0, at + 1));
  return (Array.isArray(steps) ? steps : [])
    .filter((_, index) => !withoutOwn || index !== path[at + 1])
    .map(step => getMember(step, 'id'))
    .filter(id => typeof id === 'string')
    .map(label => ({ label, kind: COMPLETION.reference, detail: 'step' }));
}

/** Completions inside of policies and templates; undefined elsewhere. */
function findTextChoices(
  before: string,
  { path }: CompletionContext,
  object: unknown,
  names: GatewayNames | undefined,
): readonly Choice[] | undefined {
  if (/\bTool::"$/.test(before)) return (names?.shown ?? []).map(label => ({ label, kind: COMPLETION.tool }));
  if (/\bAction::"$/.test(before)) return ACTIONS.map(toValueChoice);
  // In a template, the word that is replaced includes the dots of a path.
  if (!/\{\{[^}]*$/.test(before) || !path.includes('steps')) return undefined;
  const workflow = getValueAt(object, path.slice(0, path.lastIndexOf('steps')));
  const parameters = getMember(getMember(workflow, 'parameters'), 'properties');
  return [
    ...listStepIds(object, path, true).map(({ label, ...step }) => ({ ...step, label: `.steps.${label}.output` })),
    ...(isObject(parameters) ? Object.keys(parameters) : []).map(name => ({
      label: `.params.${name}`,
      kind: COMPLETION.reference,
      detail: 'parameter',
    })),
  ];
}

const ACTIONS = ['call_tool', 'get_prompt', 'read_resource'];

function toValueChoice(label: string): Choice {
  return { label, kind: COMPLETION.value };
}

function readIdentity(kind: string, object: unknown) {
  const metadata = getMember(object, 'metadata');
  const [name, namespace] = [getMember(metadata, 'name'), getMember(metadata, 'namespace')];
  return {
    kind,
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : 'default',
  };
}
