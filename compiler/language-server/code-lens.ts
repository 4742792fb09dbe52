/** Code lenses: who can call an item, above gateways, composite tools, backends, and policies that name tools. */
import type { CodeLens } from 'vscode-languageserver';
import { getMember, isObject } from '#schemas';
import { uniteCallers } from '../analysis/exposure/caller-sets.ts';
import type { ExposedTool, Exposure, Who } from '../analysis/exposure/exposure.ts';
import { formatWho } from '../analysis/exposure/format-who.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import { listReferences, OWN_NAME } from './definition.ts';
import type { EditedProject } from './edited-project.ts';
import { BACKEND_KINDS } from './object-kinds.ts';
import { toLspRange } from './positions.ts';
import { SHOW_EXPOSURE } from './protocol.ts';

/** The subject of a lens. The client returns it when it requests the text, once the line is visible. */
export interface LensSubject {
  readonly type: 'gateway' | 'composite' | 'backend' | 'tool' | 'server';
  /** The name of the item. Empty for the gateway itself, and for a server with an address of its own. */
  readonly name: string;
  readonly namespace: string;
  /** Names of the gateways that the lens is about. */
  readonly gateways: readonly string[];
}

/** Maximum length of a lens: editors put it above the code and do not wrap it. */
const MAX_TEXT = 160;
/** Maximum number of gateways in a lens. */
const MAX_GATEWAYS = 3;

/** The lenses of a file, without text. */
export function computeCodeLenses(project: EditedProject, source: SourceText): CodeLens[] {
  const { objects, servers } = project.getCompiled().compilation;
  const served = new Set(servers.map(({ object }) => `${object.namespace}/${getExposedName(object)}`));
  const isServed = (document: ResourceDocument) => served.has(`${document.namespace}/${getExposedName(document)}`);
  const gateways = objects.filter(({ kind }) => kind === 'VirtualMCPServer');
  return objects
    .filter(({ doc }) => doc.file === source.file)
    .flatMap(document =>
      [...listSubjects(document, gateways), ...(isServed(document) ? [toServerSubject(document)] : [])].map(
        ({ path, ...subject }) => ({
          range: toLspRange(source, document.doc.locate(path, 'value')),
          data: { ...subject, namespace: document.namespace },
        }),
      ),
    );
}

/** The lens with its text and a command that shows the whole exposure. */
export function resolveLens(project: EditedProject, lens: CodeLens, subject: LensSubject): CodeLens {
  const { namespace, gateways } = subject;
  const known = gateways.flatMap(name => {
    const exposure = project.findExposure({ namespace, name });
    return exposure === undefined ? [] : [{ name, text: formatLens(exposure, subject) }];
  });
  const texts = known
    .slice(0, MAX_GATEWAYS)
    .map(({ name, text }) => (gateways.length === 1 ? text : `${name}: ${text}`));
  const more = known.length > MAX_GATEWAYS ? [`and ${known.length - MAX_GATEWAYS} more gateways`] : [];
  const title =
    texts.length === 0 ? 'who can call this is not known while there are errors' : [...texts, ...more].join(' · ');
  const shown = title.length <= MAX_TEXT ? title : `${title.slice(0, MAX_TEXT - 1)}…`;
  return {
    range: lens.range,
    command: {
      title: shown,
      command: SHOW_EXPOSURE,
      arguments: [project.folder, namespace, known.map(({ name }) => name)],
    },
  };
}

type PlacedSubject = Pick<LensSubject, 'type' | 'name' | 'gateways'> & { readonly path: Path };

function listSubjects(document: ResourceDocument, gateways: readonly ResourceDocument[]): readonly PlacedSubject[] {
  const { kind, name } = document;
  const spec = getMember(document.doc.value, 'spec');
  const near = gateways.filter(({ namespace }) => namespace === document.namespace);
  if (kind === 'VirtualMCPServer') return listGatewaySubjects(spec, name);
  const users =
    kind === 'VirtualMCPCompositeToolDefinition'
      ? near.filter(resourceDocument =>
          listReferences(resourceDocument).some(reference => reference.kind === kind && reference.name === name),
        )
      : BACKEND_KINDS.includes(kind)
        ? near.filter(resourceDocument => readGroup(getMember(resourceDocument.doc.value, 'spec')) === readGroup(spec))
        : [];
  if (users.length === 0) return [];
  const called = getMember(spec, 'name');
  const isWorkflow = kind === 'VirtualMCPCompositeToolDefinition' && typeof called === 'string';
  const type = isWorkflow ? 'composite' : 'backend';
  return [{ type, name: isWorkflow ? called : name, gateways: users.map(user => user.name), path: OWN_NAME }];
}

/** The subject of a lens above an MCPServer or MCPRemoteProxy, which callers in a cluster reach without any gateway of the specs. */
function toServerSubject(document: ResourceDocument): PlacedSubject {
  return { type: 'server', name: '', gateways: [getExposedName(document)], path: OWN_NAME };
}

function listGatewaySubjects(spec: unknown, gateway: string): readonly PlacedSubject[] {
  const gateways = [gateway];
  const config = getMember(spec, 'config');
  const inPlace = (list: unknown, type: 'composite' | 'backend', path: Path): readonly PlacedSubject[] =>
    toItems(list).flatMap((item, index) => {
      const name = getMember(item, 'name');
      return typeof name === 'string' ? [{ type, name, gateways, path: [...path, index, 'name'] }] : [];
    });
  const policies = ['incomingAuth', 'authzConfig', 'inline', 'policies'].reduce(getMember, spec);
  return [
    { type: 'gateway', name: '', gateways, path: OWN_NAME },
    ...inPlace(getMember(config, 'compositeTools'), 'composite', ['spec', 'config', 'compositeTools']),
    ...inPlace(getMember(config, 'backends'), 'backend', ['spec', 'config', 'backends']),
    ...toItems(policies).flatMap((policy, index): readonly PlacedSubject[] => {
      const path = ['spec', 'incomingAuth', 'authzConfig', 'inline', 'policies', index];
      return listTools(policy).map(name => ({ type: 'tool', name, gateways, path }));
    }),
  ];
}

/** The tools that a policy names, without duplicates. */
function listTools(policy: unknown): readonly string[] {
  if (typeof policy !== 'string') return [];
  return [...new Set([...policy.matchAll(/\bTool::"([^"\\]+)"/g)].map(([, name = '']) => name))];
}

function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function readGroup(spec: unknown): unknown {
  const reference = getMember(spec, 'groupRef');
  return isObject(reference) ? reference.name : undefined;
}

function formatLens(exposure: Exposure, { type, name }: LensSubject): string {
  const { tools, composites, callers, complete } = exposure;
  if (type === 'gateway' || type === 'server') {
    const classes = callers.map(
      caller => `${formatWho(caller.who)} (${formatCount(caller.tools.length + caller.composites.length, 'tool')})`,
    );
    const known =
      classes.length === 0
        ? 'no caller can call a tool'
        : `${formatKinds(classes.length)} can call: ${classes.join('; ')}`;
    const text = complete ? known : `${known}, as far as the tool lock knows`;
    return type === 'server' ? `at its own address: ${text}` : text;
  }
  if (type === 'backend') {
    const own = tools.filter(({ backend }) => backend === name);
    if (own.length === 0) return 'the tool lock knows no tool of this backend';
    return `${formatCount(own.length, 'tool')}: ${formatCallers(uniteCallers(own.map(({ reach }) => reach)))}`;
  }
  const composite = composites.find(entry => entry.name === name);
  if (composite !== undefined) return `${name}: ${formatCallers(composite.direct)}`;
  const tool = tools.find(entry => entry.name === name);
  return tool === undefined ? `${name}: no tool of this name is known` : `${name}: ${formatTool(tool)}`;
}

function formatTool({ visibility, direct, reach, through }: ExposedTool): string {
  const own = visibility === 'hidden' ? 'hidden from clients' : formatCallers(direct);
  const workflows = [...new Set(through.filter(({ who }) => who.type !== 'nobody').map(({ composite }) => composite))];
  return workflows.length === 0 ? own : `${own}; with ${workflows.join(', ')}: ${formatCallers(reach)}`;
}

function formatCallers(who: Who): string {
  if (who.type === 'unknown') return 'not known who can call, since the policies are not in the sources';
  return who.type === 'some' ? `${formatKinds(who.anyOf.length)} can call: ${formatWho(who)}` : `${who.type} can call`;
}

function formatKinds(count: number): string {
  return count === 1 ? '1 kind of caller' : `${count} kinds of callers`;
}

function formatCount(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
