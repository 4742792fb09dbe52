/**
 * From values to Go templates. Templates have their own formats (1234567 prints as 1.234567e+06, a list as [a b]), so every value except text
 * passes through `json`, and the runtime converts it back to the type that the tool requires.
 *
 * @see https://pkg.go.dev/text/template
 */
import type { ConditionNode, Expression, Json, Operand, TextNode } from '../expression.ts';
import { quoted } from './quoted.ts';
import { type TemplatePart, templateText } from './text.ts';

const FIELD = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Writes one template. */
export class TemplateWriter {
  /** Statements at the beginning that print nothing. */
  #before = '';
  #variables = 0;

  /** Text and values in sequence. */
  text({ parts }: TextNode): string {
    return this.#template(parts.map(part => (typeof part === 'string' ? part : { command: this.#printed(part) })));
  }

  /** One value as text; other types as JSON. */
  value(expression: Expression): string {
    return this.#template([{ command: this.#printed(expression) }]);
  }

  /** One value as JSON. */
  json(parts: readonly (string | Expression | TextNode)[]): string {
    return this.#template(
      parts.map(part => {
        if (typeof part === 'string') return part;
        const command = part.type === 'text' ? `json ${this.#printedText(part)}` : `json ${this.#raw(part)}`;
        return { command };
      }),
    );
  }

  /** A template that prints `true` or `false`. */
  condition(condition: ConditionNode): string {
    return this.#template([{ command: this.#condition(condition) }]);
  }

  #template(parts: readonly TemplatePart[]): string {
    return `${this.#before}${templateText(parts)}`;
  }

  #condition(condition: ConditionNode): string {
    switch (condition.type) {
      case 'comparison':
        return [condition.name, ...condition.operands.map(operand => this.#operand(operand))].join(' ');
      case 'junction':
        return [condition.name, ...condition.of.map(part => this.#conditionOperand(part))].join(' ');
      case 'exists':
        return conjunction(this.#present(condition.of));
      case 'truth':
        return this.#typed(condition.of);
    }
  }

  #conditionOperand(condition: ConditionNode): string {
    return condition.type === 'truth' ? this.#typed(condition.of) : `(${this.#condition(condition)})`;
  }

  #operand(operand: Operand): string {
    switch (operand.type) {
      case 'literal':
        return literal(operand.value);
      case 'text':
        return this.#printedText(operand);
      case 'expression':
        return this.#typed(operand);
    }
  }

  /** The value as a JSON type: Go's own counts are of type `int`, which Go does not compare with JSON numbers. */
  #typed(expression: Expression): string {
    return expression.kind === 'count' ? `(fromJson (json ${this.#raw(expression)}))` : this.#raw(expression);
  }

  #printedText({ parts }: TextNode): string {
    const operands = parts.map(part => {
      if (typeof part === 'string') return literal(part);
      const command = this.#printed(part);
      return command.includes(' ') ? `(${command})` : command;
    });
    return `(print ${operands.length === 0 ? '""' : operands.join(' ')})`;
  }

  /** A command with a text result. */
  #printed(expression: Expression): string {
    const raw = this.#raw(expression);
    if (expression.kind === 'string') return unwrapped(raw);
    if (expression.kind !== undefined) return `json ${raw}`;
    // Whether the value is a text is only known when the workflow runs.
    const variable = this.#variable(`json ${raw}`);
    this.#before += `{{if eq (printf "%T" ${raw}) "string"}}{{${variable} = ${unwrapped(raw)}}}{{end}}`;
    return variable;
  }

  #variable(command: string): string {
    this.#variables += 1;
    const variable = `$v${this.#variables}`;
    this.#before += `{{${variable} := ${command}}}`;
    return variable;
  }

  #raw({ base, fields }: Expression): string {
    return fields.reduce<string>(below, this.#base(base));
  }

  #base(base: Expression['base']): string {
    switch (base.type) {
      case 'scope':
        return base.path.reduce(below, '');
      case 'parsed':
        return `(fromJson ${this.#raw(base.of)})`;
      case 'length':
        return `(len ${this.#raw(base.of)})`;
      case 'fallback': {
        const present = this.#present(base.of);
        const value = this.#raw(base.of);
        const variable = this.#variable(unwrapped(literal(base.otherwise)));
        this.#before += `{{if ${conjunction(present)}}}{{${variable} = ${unwrapped(value)}}}{{end}}`;
        return variable;
      }
    }
  }

  /** The conditions under which each level down to a value exists, so that reading it cannot fail. */
  #present({ base, fields }: Expression): readonly string[] {
    const start = this.#base(base);
    const levels = fields.map((_, index) => fields.slice(0, index + 1).reduce<string>(below, start));
    const above = [start, ...levels];
    return [
      `ne ${start} nil`,
      ...fields.flatMap((field, index) => [
        ...(typeof field === 'number' ? [`gt (len ${above[index]}) ${field}`] : []),
        `ne ${levels[index]} nil`,
      ]),
    ];
  }
}

function below(value: string, field: string | number): string {
  if (typeof field === 'number') return `(index ${value} ${field})`;
  return FIELD.test(field) ? `${value}.${field}` : `(index ${value} ${quoted(field)})`;
}

function conjunction([first = 'true', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `and ${[first, ...others].map(part => `(${part})`).join(' ')}`;
}

/** A value as a literal of Go's templates. JSON numbers are floats, but in Go a number without a fraction would be an `int`. */
function literal(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number')
    return /[.e]/.test(String(value)) ? String(value) : `${Object.is(value, -0) ? '0' : value}.0`;
  if (typeof value === 'boolean') return String(value);
  return `(fromJson ${quoted(JSON.stringify(value))})`;
}

/** `(index .a 0)` becomes `index .a 0` when nothing follows. */
function unwrapped(operand: string): string {
  return operand.startsWith('(') && operand.endsWith(')') ? operand.slice(1, -1) : operand;
}
