/** The backends of a gateway and their names in the program. */

import type { StaticBackend, VirtualMCPServerSpec } from '#schemas';
import { getMember, isObject } from '#schemas';
import type { AnyBackend } from '../../../cdk8s/backend.ts';
import type { Path } from '../../../source/source-document.ts';
import type { Line } from '../../statement.ts';
import { call, object, plain } from '../../typescript/code.ts';
import type { ValueWriter } from '../../value-code.ts';
import type { EmitContext } from '../construct.ts';
import { NotRepresentable } from '../not-representable.ts';
import { emitText } from './gateway-statement.ts';

const KINDS = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];

/** Fields about all backends of a document. Their comments are written above the first backend, because no prop has these fields. */
const ABOUT_ALL: readonly Path[] = [
  ['spec', 'outgoingAuth'],
  ['spec', 'outgoingAuth', 'source'],
  ['spec', 'config', 'backends'],
];

/** A backend that is written inline in the gateway. */
export interface EmittedBackend {
  readonly spec: StaticBackend;
  readonly constant: string;
  readonly index: number;
}

export class Backends {
  /** The const that holds the group. */
  readonly group: string;
  readonly written: readonly EmittedBackend[];
  readonly #context: EmitContext;
  readonly #constants: Map<string, string>;
  /** Whether a member has a credential, by the member's name. */
  readonly #credentials: ReadonlyMap<string, boolean>;
  readonly #made = new Map<string, string>();
  readonly #before: Line[] = [];

  /** @throws NotRepresentable */
  constructor(context: EmitContext, { groupRef, outgoingAuth, config }: VirtualMCPServerSpec) {
    const { object: exported, program } = context;
    this.#context = context;
    const group = program.findEarlier(exported, 'MCPGroup', groupRef.name);
    const isKnown = group !== undefined;
    const key = JSON.stringify(['MCPGroup', exported.namespace, groupRef.name]);
    this.group = isKnown
      ? program.getConstant(group)
      : this.#shared(key, [groupRef.name, `${groupRef.name}-group`], call('Group.existing', emitText(groupRef.name)));
    const backends = config?.backends ?? [];
    if (backends.length > 0 && outgoingAuth?.source !== 'inline')
      throw new NotRepresentable('`config.backends` has no effect without the source `inline`.');
    this.written = backends.map((spec, index) => ({
      spec,
      constant: program.reserveConstant(spec.name, `${spec.name}-backend`),
      index,
    }));
    const others = program.objects.filter(
      entry =>
        isKnown &&
        entry !== exported &&
        entry.namespace === exported.namespace &&
        getMember(getMember(entry.value.spec, 'groupRef'), 'name') === groupRef.name,
    );
    const members = others.filter(({ kind }) => KINDS.includes(kind));
    const emitted = members.flatMap(({ kind, name, value }) => {
      const constant = program.findConstant(exported, kind, name);
      return constant === undefined
        ? []
        : [{ name, constant, reference: getMember(value.spec, 'externalAuthConfigRef') }];
    });
    this.#credentials = new Map(emitted.map(({ name, reference }) => [name, isObject(reference)]));
    this.#constants = new Map([
      ...emitted.map(({ name, constant }) => [name, constant] as const),
      ...this.written.map(({ spec, constant }) => [spec.name, constant] as const),
    ]);
    if (this.#constants.size < emitted.length + backends.length)
      throw new NotRepresentable('two backends of the gateway have the same name.');
    // If another gateway refers to such a member by name, the program also knows the member here, and the construct would use its credentials.
    const isShared = others.some(({ kind }) => kind === exported.kind);
    if (outgoingAuth?.source === 'inline' && isShared && emitted.length < members.length)
      throw new NotRepresentable('another gateway uses the same group, and a member of this group is not a `Backend`.');
  }

  /** Members of the group that have a const in the program. They are used without the tool lock, because it changes over time. */
  get members(): readonly AnyBackend[] {
    const inlineNames = new Set(this.written.map(({ spec }) => spec.name));
    const names = [...this.#constants.keys()].filter(name => !inlineNames.has(name));
    return names.map(name => ({ name, locked: undefined, hasCredential: this.#credentials.get(name) }));
  }

  /** Gives a backend a const, if it has none: the backend may be declared in other specs, or written out as an object. */
  know(name: string): void {
    if (this.#constants.has(name)) return;
    const { object: exported } = this.#context;
    const key = JSON.stringify(['backend', exported.namespace, this.group, name]);
    const code = call('Backend.existing', object({ name: emitText(name), group: plain(this.group) }));
    this.#constants.set(name, this.#shared(key, [name, `${name}-backend`], code));
  }

  /** The const of a backend that the program knows. */
  getConstant(name: string): string {
    return this.#constants.get(name) ?? '';
  }

  /** @param isEarly whether the gateway's constructor refers to the backends, so that they are created before the gateway */
  lines(gateway: string, writer: ValueWriter, isEarly: boolean): { before: readonly Line[]; further: readonly Line[] } {
    const made = this.written.map(({ spec, constant, index }) => {
      const path = ['spec', 'config', 'backends', index];
      const above = index === 0 ? ABOUT_ALL.flatMap(about => writer.comments.at(about)) : [];
      const comments = [...above, ...writer.comments.at(path)];
      const code = call('Backend.inline', writer.value(spec, path));
      return { code, constant, comments };
    });
    const add = (line: Line) => ({ ...line, code: call(`${gateway}.addBackend`, line.code) });
    return {
      before: [...this.#before, ...(isEarly ? made : [])],
      further: isEarly
        ? made.map(({ constant }) => ({ code: call(`${gateway}.addBackend`, plain(constant)) }))
        : made.map(add),
    };
  }

  /** Called when the gateway could be written as a construct: makes its consts available to other gateways. */
  settle(): void {
    for (const [key, constant] of this.#made) this.#context.program.shared.set(key, constant);
  }

  /** The const of an object that several gateways may use. The program creates it once. */
  #shared(key: string, names: readonly string[], code: Line['code']): string {
    const { program } = this.#context;
    const known = program.shared.get(key) ?? this.#made.get(key);
    if (known !== undefined) return known;
    const constant = program.reserveConstant(...names);
    this.#made.set(key, constant);
    this.#before.push({ constant, code });
    return constant;
  }
}
