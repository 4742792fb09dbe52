/** The few TypeScript forms that an exported program consists of. */

/** An expression. */
export type Code = Plain | ObjectCode | ListCode | CallCode | ArrowCode | TextCode | TemplateCode;

/** Text that is already an expression, such as a literal or the name of a const. */
export interface Plain {
  readonly type: 'plain';
  readonly text: string;
}

export interface ObjectCode {
  readonly type: 'object';
  readonly members: readonly CommentedMember[];
}

export interface ListCode {
  readonly type: 'list';
  readonly items: readonly CommentedCode[];
}

/** A call or an instantiation. */
export interface CallCode {
  readonly type: 'call';
  /** The object whose method is called, if it is more than a name. */
  readonly on?: Code;
  /** What is called, such as `new Group` or `gateway.expose`. If {@link on} is set, only the name of the method. */
  readonly callee: string;
  readonly arguments: readonly Code[];
}

/** An arrow function `e => …`. */
export interface ArrowCode {
  readonly type: 'arrow';
  /** The parameter name; several parameters, or none, in parentheses, such as `(item, index)`. */
  readonly parameter: string;
  readonly result: Code;
}

/** A tagged template: text with embedded values. */
export interface TextCode {
  readonly type: 'text';
  readonly tag: string;
  readonly parts: readonly (string | Plain)[];
}

/** A template of several lines, whose tag removes indentation. */
export interface TemplateCode {
  readonly type: 'template';
  readonly tag: string;
  /** The lines contain no characters that a template literal would interpret. */
  readonly lines: readonly string[];
}

/** A value with the comments above it. */
export interface CommentedCode {
  readonly value: Code;
  readonly comments: readonly string[];
}

export interface CommentedMember extends CommentedCode {
  readonly key: string;
}

export const plain = (text: string): Plain => ({ type: 'plain', text });

export const call = (callee: string, ...parameters: readonly Code[]): CallCode => ({
  type: 'call',
  callee,
  arguments: parameters,
});

/** A method call on the result of an expression. */
export const method = (on: Code, name: string, ...parameters: readonly Code[]): CallCode => ({
  type: 'call',
  on,
  callee: name,
  arguments: parameters,
});

export const list = (values: readonly Code[]): ListCode => ({
  type: 'list',
  items: values.map(value => ({ value, comments: [] })),
});

/** An object literal without the members that are undefined. */
export const object = (members: Readonly<Record<string, Code | undefined>>): ObjectCode => ({
  type: 'object',
  members: Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value, comments: [] }],
  ),
});

/** The names that an expression refers to, for imports and for the order of statements. */
export function collectReferencedNames(code: Code): readonly string[] {
  switch (code.type) {
    case 'plain':
      return [code.text];
    case 'object':
      return code.members.flatMap(({ value }) => collectReferencedNames(value));
    case 'list':
      return code.items.flatMap(({ value }) => collectReferencedNames(value));
    case 'call':
      // The name of a method alone, without the object that has it, refers to nothing in the program.
      return [
        ...(code.on === undefined ? [code.callee] : collectReferencedNames(code.on)),
        ...code.arguments.flatMap(collectReferencedNames),
      ];
    case 'arrow': {
      const own: readonly string[] = code.parameter.match(/\w+/g) ?? [];
      return collectReferencedNames(code.result).filter(text => !own.includes(text.replace(/\W.*/s, '')));
    }
    case 'text':
      return [code.tag, ...code.parts.flatMap(part => (typeof part === 'string' ? [] : collectReferencedNames(part)))];
    case 'template':
      return [code.tag];
  }
}
