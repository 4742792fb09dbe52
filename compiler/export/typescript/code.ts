/** The few forms of TypeScript that a program of constructs is made of. */

/** An expression. */
export type Code = Plain | ObjectCode | ListCode | CallCode;

/** Text that is an expression already, such as a literal or the name of a const. */
export interface Plain {
  readonly type: 'plain';
  readonly text: string;
}

export interface ObjectCode {
  readonly type: 'object';
  readonly members: readonly Member[];
}

export interface ListCode {
  readonly type: 'list';
  readonly items: readonly Item[];
}

/** A call, or the making of an instance. */
export interface CallCode {
  readonly type: 'call';
  /** Such as `new Group` or `gateway.expose`. */
  readonly callee: string;
  readonly arguments: readonly Code[];
}

/** A value with the comments above it. */
export interface Item {
  readonly value: Code;
  readonly comments: readonly string[];
}

export interface Member extends Item {
  readonly key: string;
}

export const plain = (text: string): Plain => ({ type: 'plain', text });

export const call = (callee: string, ...parameters: readonly Code[]): CallCode => ({
  type: 'call',
  callee,
  arguments: parameters,
});

export const list = (values: readonly Code[]): ListCode => ({
  type: 'list',
  items: values.map(value => ({ value, comments: [] })),
});

/** Members that are undefined are left out. */
export const object = (members: Readonly<Record<string, Code | undefined>>): ObjectCode => ({
  type: 'object',
  members: Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value, comments: [] }],
  ),
});

/** What an expression refers to by name, for imports and for the order of statements. */
export function textsIn(code: Code): readonly string[] {
  switch (code.type) {
    case 'plain':
      return [code.text];
    case 'object':
      return code.members.flatMap(({ value }) => textsIn(value));
    case 'list':
      return code.items.flatMap(({ value }) => textsIn(value));
    case 'call':
      return [code.callee, ...code.arguments.flatMap(textsIn)];
  }
}
