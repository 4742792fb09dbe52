/**
 * From values to Go templates. Templates print what they are given in their own ways (1234567 as 1.234567e+06, lists as [a b]),
 * so everything but text goes through `json`, which the run converts back to the type that the tool asks for.
 *
 * @see https://pkg.go.dev/text/template
 */
import type { ConditionNode, Expression, Json, Operand, TextNode } from '../expression.ts';
import { quoted } from './quoted.ts';
import { type TemplatePart, templateText } from './text.ts';

const FIELD = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Writes one template. */
export class TemplateWriter {
  /** Statements before everything else, which print nothing. */
  #before = '';
  #variables = 0;

  /** Text and values in a row. */
  text({ parts }: TextNode): string {
    return this.#template(parts.map(part => (typeof part === 'string' ? part : { command: this.#printed(part) })));
  }

  /** One value as text: what is no text already as JSON. */
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

  /** Prints `true` or `false`. */
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

  /** As JSON would have it: what Go counts by itself is an `int`, which it does not compare with numbers of JSON. */
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

  /** A command that gives text. */
  #printed(expression: Expression): string {
    const raw = this.#raw(expression);
    if (expression.kind === 'string') return unwrapped(raw);
    if (expression.kind !== undefined) return `json ${raw}`;
    // Only the run knows whether it is a text.
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

  /** What has to hold for each of the levels down to a value, so that none of them fails. */
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

/** A number without a fraction would be an `int`, and those of JSON are not. */
function literal(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number')
    return /[.e]/.test(String(value)) ? String(value) : `${Object.is(value, -0) ? '0' : value}.0`;
  if (typeof value === 'boolean') return String(value);
  return `(fromJson ${quoted(JSON.stringify(value))})`;
}

/** `(index .a 0)` to `index .a 0`, where nothing follows. */
function unwrapped(operand: string): string {
  return operand.startsWith('(') && operand.endsWith(')') ? operand.slice(1, -1) : operand;
}
