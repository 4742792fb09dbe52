/** The state that a cluster should have after each commit: a model that does not depend on how the controller gets there. */
import fc from 'fast-check';
import { compile, generateManifests, readTexts, SourceText } from '#compiler';
import { VERSION } from '#schemas';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { NAMESPACE } from '../../support/controller-world.ts';
import { brokenGatewayFile, gatewayFile } from '../../support/gateway-specs.ts';

export type Mistake = 'typo' | 'yaml' | 'reference';

/** A gateway: its file, its version, and its error. */
interface Gateway {
  readonly file: string;
  readonly version: number;
  readonly mistake?: Mistake;
}

export type Tree = ReadonlyMap<string, Gateway>;

/** The gateway that is never deleted and always valid; other tests cover a repository without gateways. */
const BASE = 'base';
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const FILES = ['one.yaml', 'two.yaml', 'deep/three.yaml'] as const;

export type Change =
  | { readonly type: 'set'; readonly name: string; readonly file: string; readonly version: number }
  | { readonly type: 'break'; readonly name: string; readonly mistake: Mistake }
  | { readonly type: 'fix' }
  | { readonly type: 'delete'; readonly names: readonly string[] }
  | { readonly type: 'rename'; readonly name: string; readonly to: string }
  | { readonly type: 'move'; readonly name: string; readonly file: string }
  | { readonly type: 'revert'; readonly back: number }
  | { readonly type: 'nothing' };

const name = fc.constantFrom(...NAMES);
const file = fc.constantFrom(...FILES);
const change = (type: Change['type'], more: { readonly [member: string]: fc.Arbitrary<unknown> } = {}) =>
  fc.record({ type: fc.constant(type), ...more }) as fc.Arbitrary<unknown> as fc.Arbitrary<Change>;

export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 9, arbitrary: change('set', { name, file, version: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 3, arbitrary: change('break', { name, mistake: fc.constantFrom('typo', 'yaml', 'reference') }) },
  { weight: 6, arbitrary: change('fix') },
  { weight: 2, arbitrary: change('delete', { names: fc.tuple(name) }) },
  { weight: 1, arbitrary: change('delete', { names: fc.uniqueArray(name, { minLength: 3 }) }) },
  { weight: 2, arbitrary: change('rename', { name, to: name }) },
  { weight: 2, arbitrary: change('move', { name, file }) },
  { weight: 3, arbitrary: change('revert', { back: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: change('nothing') },
);

export const FIRST: Tree = new Map([[BASE, { file: FILES[0], version: 1 }]]);

/** @param history the newest commit is last */
export function changed(history: readonly Tree[], change: Change): Tree {
  const tree = new Map(history.at(-1));
  const gateway = 'name' in change ? tree.get(change.name) : undefined;
  switch (change.type) {
    case 'revert':
      return history.at(-1 - change.back) ?? tree;
    case 'nothing':
      return tree;
    case 'set':
      return tree.set(change.name, { file: gateway?.file ?? change.file, version: change.version });
    case 'fix':
      return new Map([...tree].map(([name, { file, version }]) => [name, { file, version }]));
    case 'delete':
      for (const name of change.names) tree.delete(name);
      return tree;
  }
  if (change.type === 'break') {
    return tree.set(change.name, { ...(gateway ?? { file: FILES[1], version: 1 }), mistake: change.mistake });
  }
  if (gateway === undefined) return tree;
  if (change.type === 'move') tree.set(change.name, { ...gateway, file: change.file });
  else {
    tree.delete(change.name);
    tree.set(change.to, gateway);
  }
  return tree;
}

export function toFiles(tree: Tree): { readonly [file: string]: string } {
  const files: { [file: string]: string } = { 'README.md': 'Gateways of a team.\n' };
  for (const [name, gateway] of tree) {
    const { file } = gateway;
    files[file] = `${files[file] === undefined ? '' : `${files[file]}\n---\n`}${textOf(name, gateway)}`;
  }
  return files;
}

function textOf(name: string, { version, mistake }: Gateway): string {
  const url = `https://v${version}.example.com/mcp`;
  if (mistake === 'typo') return brokenGatewayFile(name, { url });
  const text = gatewayFile(name, { url });
  if (mistake === 'yaml') return `${text}\nspec: [1,\n`;
  return mistake === 'reference' ? text.replaceAll(`groupRef: { name: ${name} }`, 'groupRef: { name: nowhere }') : text;
}

/** The expected state: versions of gateways by name, and which of them only a guard keeps. */
export class Model {
  live: ReadonlyMap<string, number> = new Map();
  held: ReadonlySet<string> = new Set();
  isGood = true;

  /** @param isAgreed whether a person approved all deletions of this commit */
  look(tree: Tree, isAgreed: boolean): void {
    this.isGood = [...tree.values()].every(({ mistake }) => mistake === undefined);
    if (!this.isGood) return;
    const gone = [...this.live.keys()].filter(name => !tree.has(name));
    const isHeld = gone.some(name => this.held.has(name)) || gone.length * 2 > this.live.size;
    this.held = new Set(isHeld && !isAgreed ? gone : []);
    const staying = [...this.live].filter(([name]) => this.held.has(name));
    this.live = new Map([...staying, ...[...tree].map(([name, { version }]) => [name, version] as const)]);
  }

  /** Whether an object is no longer in the repository and is kept only by a guard; so are earlier bundles. */
  isHeldBack(object: KubeObject): boolean {
    return [...this.held].some(name => {
      const own = objectsOf(name, this.live.get(name) ?? 0).map(([key]) => key);
      return own.includes(formatKey(object)) || object.metadata.name.startsWith(`${name}-bundle-`);
    });
  }

  /** Every expected object except bundles of earlier versions, by `Kind/name`. */
  objects(): ReadonlyMap<string, KubeObject> {
    return new Map([...this.live].flatMap(([name, version]) => objectsOf(name, version)));
  }
}

const known = new Map<string, readonly (readonly [string, KubeObject])[]>();

/** A gateway compiled alone: its objects must not depend on other gateways. */
function objectsOf(name: string, version: number): readonly (readonly [string, KubeObject])[] {
  const key = `${name} ${version}`;
  const objects = known.get(key) ?? compiledAlone(name, version).map(object => [formatKey(object), object] as const);
  known.set(key, objects);
  return objects;
}

function compiledAlone(name: string, version: number): readonly KubeObject[] {
  const text = textOf(name, { file: '', version });
  const { gateways, objects } = compile(readTexts([new SourceText('alone.yaml', text)]), {
    purpose: 'build',
    origin: { compilerVersion: VERSION, sourceRevision: null },
    defaultNamespace: NAMESPACE,
  });
  const manifests = gateways.flatMap(({ bundle }) => {
    if (bundle === null) throw new Error(`gateway ${name} of version ${version} has no bundle`);
    return generateManifests({ bundle, files: [] }, {}) as readonly KubeObject[];
  });
  const own = objects.map(({ doc }) => {
    const written = doc.value as KubeObject;
    return { ...written, metadata: { ...written.metadata, namespace: NAMESPACE } };
  });
  return [...own, ...manifests];
}

export function formatKey({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string {
  return `${kind}/${metadata.name}`;
}
