import { Construct } from 'constructs';
import type { AnyBackend } from './backend.ts';
import { checkProps, NAMING } from './known-props.ts';
import { captureCall, noteOrigin } from './origins.ts';
import { ConstructResource, type NamingProps } from './resource.ts';
import { sharedMap } from './shared.ts';

export interface GroupProps extends NamingProps {
  /** A description for people. */
  readonly description?: string;
}

/** A group, declared in the program or elsewhere. */
export interface GroupReference {
  /** Name of the MCPGroup. */
  readonly name: string;
}

/**
 * A group of backends (`MCPGroup`); a gateway serves one group.
 *
 * @example
 * const eng = new Group(this, 'eng', { description: 'Tools of the engineers' });
 */
export class Group extends Construct implements GroupReference {
  readonly name: string;

  constructor(scope: Construct, id: string, props: GroupProps = {}) {
    super(scope, id);
    const call = captureCall(Group);
    checkProps('Group', props, { ...NAMING, description: true }, new.target !== Group);
    this.name = props.name ?? id;
    const { description } = props;
    const resource = new ConstructResource(this, 'MCPGroup', this.name, props, () =>
      description === undefined ? {} : { description },
    );
    noteOrigin(resource, '', call.at(2));
    noteOrigin(resource, '/metadata/name', props.name === undefined ? call.at(1) : call.at(2, 'name'));
    noteOrigin(resource, '/spec/description', call.at(2, 'description'));
  }

  /**
   * A group that is declared elsewhere, such as in YAML.
   *
   * @example
   * const eng = Group.existing('eng');
   */
  static existing(name: string): GroupReference {
    return { name };
  }
}

const members = sharedMap<GroupReference, AnyBackend[]>('members');

/** Lists the members that are constructs; only the compiler knows members that are declared elsewhere. */
export function listMembers(group: GroupReference): readonly AnyBackend[] {
  return members.get(group) ?? [];
}

export function joinGroup(group: GroupReference, backend: AnyBackend): void {
  members.set(group, [...listMembers(group), backend]);
}
