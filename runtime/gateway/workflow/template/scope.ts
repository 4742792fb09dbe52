import type { TemplateSpan } from '#schemas';
import type { Budget } from './limits.ts';
import { Problem } from './template-error.ts';
import type { Value } from './value.ts';

/** The state of an evaluation. */
export class Scope {
  readonly budget: Budget;
  readonly #variables: { readonly name: string; value: Value }[];
  /** The part of the template under evaluation; errors name it. */
  at: TemplateSpan = [0, 0];
  /** Number of parentheses around that part. */
  depth = 0;

  constructor(budget: Budget, data: Value) {
    this.budget = budget;
    this.#variables = [{ name: '$', value: data }];
  }

  /** The number of variables; `release` removes those declared since. */
  mark(): number {
    return this.#variables.length;
  }

  release(mark: number): void {
    this.#variables.length = mark;
  }

  declare(name: string, value: Value): void {
    this.#variables.push({ name, value });
  }

  replace(index: number, value: Value): void {
    const variable = this.#variables[index];
    if (variable !== undefined) variable.value = value;
  }

  assign(name: string, value: Value): void {
    this.#find(name).value = value;
  }

  read(name: string): Value {
    return this.#find(name).value;
  }

  #find(name: string): { value: Value } {
    this.budget.spendOn(this.#variables.length);
    const variable = this.#variables.findLast(({ name: known }) => known === name);
    if (variable === undefined) throw new Problem('ERR_TEMPLATE_VARIABLE', `the variable ${name} is not declared here`);
    return variable;
  }
}
