import { nearest } from '../check/nearest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type DiagnoseDetails, diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isMapping } from '../source/is-mapping.ts';
import type { Path } from '../source/source-document.ts';
import {
  CONTAINER_FIELDS,
  type Fields,
  type FieldType,
  METADATA_FIELDS,
  POD_FIELDS,
  TEMPLATE_FIELDS,
} from './pod-template-fields.ts';

/** The container that a template addresses, by kind. Others are added beside it. */
export const MAIN_CONTAINER = {
  VirtualMCPServer: 'vmcp',
  MCPRegistry: 'registry-api',
  MCPServer: 'mcp',
  MCPRemoteProxy: 'proxy',
  EmbeddingServer: 'embedding',
} as const;

/** Undefined for kinds without pods of their own. */
export function mainContainer(kind: string): string | undefined {
  return Object.hasOwn(MAIN_CONTAINER, kind) ? MAIN_CONTAINER[kind as keyof typeof MAIN_CONTAINER] : undefined;
}

/** `podTemplateSpec` is merged over the generated pod, so it must read as a pod template, and address its container. */
export function podTemplates(resource: Resource): Diagnostic[] {
  const { podTemplateSpec: template } = resource.spec as { readonly podTemplateSpec?: unknown };
  const main = mainContainer(resource.kind);
  if (main === undefined || !isMapping(template)) return [];
  const check = new Check(resource);
  const path = ['spec', 'podTemplateSpec'];
  check.fields(template, TEMPLATE_FIELDS, path);
  if (isMapping(template.metadata)) check.fields(template.metadata, METADATA_FIELDS, [...path, 'metadata']);
  if (isMapping(template.spec)) check.pod(template.spec, main, [...path, 'spec']);
  return check.found;
}

class Check {
  readonly found: Diagnostic[] = [];
  readonly #resource: Resource;

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  pod(pod: Readonly<Record<string, unknown>>, main: string, path: Path): void {
    this.fields(pod, POD_FIELDS, path);
    for (const list of ['initContainers', 'containers'] as const) {
      const containers = pod[list];
      if (!Array.isArray(containers)) continue;
      const known = list === 'containers' ? main : undefined;
      const names = new Set<unknown>();
      for (const [index, container] of containers.entries()) {
        const at = [...path, list, index];
        if (!isMapping(container)) this.#add(at, 'a container must be a mapping');
        else if (isAboutList(container)) this.#directive('$patch', container.$patch, [...at, '$patch']);
        else this.#container(container, known, names, at);
      }
    }
  }

  fields(value: Readonly<Record<string, unknown>>, fields: Fields, path: Path): void {
    for (const [name, member] of Object.entries(value)) {
      const type = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const at = [...path, name];
      if (isDirective(name)) this.#directive(name, member, at);
      else if (type === undefined) {
        const close = nearest(name, Object.keys(fields));
        const fix = close === undefined ? {} : { fix: `did you mean "${close}"?` };
        this.#add(at, `a pod template has no field ${JSON.stringify(name)} here`, { at: 'key', ...fix });
      } else if (member !== null && !isOf(type, member)) {
        this.#add(at, `${name} must be ${EXPECTED[type]}`);
      }
    }
  }

  /** Of a strategic merge patch. */
  #directive(name: string, value: unknown, path: Path): void {
    if (name === '$patch') {
      if (!PATCHES.includes(value)) this.#add(path, `$patch must be one of ${PATCHES.join(', ')}`);
    } else if (!Array.isArray(value)) {
      this.#add(path, `${name} must be a list`);
    }
  }

  #container(
    container: Readonly<Record<string, unknown>>,
    main: string | undefined,
    names: Set<unknown>,
    path: Path,
  ): void {
    this.fields(container, CONTAINER_FIELDS, path);
    const { name, image } = container;
    if (name === undefined || name === '') {
      this.#add(path, 'a container needs a name, by which it is merged with the generated one');
      return;
    }
    if (names.has(name)) this.#add([...path, 'name'], `two containers are named ${JSON.stringify(name)}`);
    names.add(name);
    if (container.$patch === 'delete') {
      if (name === main)
        this.#add([...path, '$patch'], `container "${main}" is the server itself and cannot be taken away`);
      return;
    }
    if (name === main || (image !== undefined && image !== '')) return;
    const fix = main === undefined ? {} : { fix: `the generated container is named "${main}"` };
    this.#add([...path, 'name'], `container ${JSON.stringify(name)} is added to the pod and has no image`, fix);
  }

  #add(path: Path, message: string, details: DiagnoseDetails = {}): void {
    this.found.push(diagnose(this.#resource.document, 'LNT1046', path, message, details));
  }
}

const PATCHES: readonly unknown[] = ['delete', 'merge', 'replace'];

function isDirective(name: string): boolean {
  return /^\$(?:patch|retainKeys|setElementOrder\/.+|deleteFromPrimitiveList\/.+)$/.test(name);
}

/** `- $patch: replace` by itself is about the list that it stands in. */
function isAboutList(item: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(item).length === 1 && Object.hasOwn(item, '$patch');
}

const EXPECTED: Readonly<Record<FieldType, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  list: 'a list',
  mapping: 'a mapping',
  string: 'a string',
  texts: 'a mapping of names to strings',
};

function isOf(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value) || typeof value === 'bigint';
    case 'list':
      return Array.isArray(value);
    case 'mapping':
      return isMapping(value);
    case 'texts':
      return isMapping(value) && Object.values(value).every(text => typeof text === 'string');
    default:
      return typeof value === type;
  }
}
