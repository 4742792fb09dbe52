import type { TemplateSpan } from '#schemas';
import type { Budget } from './limits.ts';
import { EvaluationError } from './template-error.ts';
import type { TemplateValue } from './value.ts';

/** The state of an evaluation. */
export class EvaluationScope {
  readonly budget: Budget;
  readonly #variables: { readonly name: string; value: TemplateValue }[];
  /** The position of the template's node that is being evaluated; errors name it. */
  at: TemplateSpan = [0, 0];
  /** Number of parentheses around that node. */
  depth = 0;

  constructor(budget: Budget, data: TemplateValue) {
    this.budget = budget;
    this.#variables = [{ name: '$', value: data }];
  }

  /** The number of variables; `release` removes the variables that are declared after this call. */
  mark(): number {
    return this.#variables.length;
  }

  release(mark: number): void {
    this.#variables.length = mark;
  }

  declare(name: string, value: TemplateValue): void {
    this.#variables.push({ name, value });
  }

  replace(index: number, value: TemplateValue): void {
    const variable = this.#variables[index];
    if (variable !== undefined) variable.value = value;
  }

  assign(name: string, value: TemplateValue): void {
    this.#find(name).value = value;
  }

  read(name: string): TemplateValue {
    return this.#find(name).value;
  }

  #find(name: string): { value: TemplateValue } {
    this.budget.spendOn(this.#variables.length);
    const variable = this.#variables.findLast(({ name: known }) => known === name);
    if (variable === undefined)
      throw new EvaluationError('ERR_TEMPLATE_VARIABLE', `the variable ${name} is not declared here`);
    return variable;
  }
}
