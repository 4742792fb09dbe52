/** A page for each kind and each field. */
import { renderField } from '../field-page.ts';
import { SITE } from '../this-site.ts';

const byOutput = new Map(SITE.fields.map(field => [field.output, field]));

interface FieldData {
  readonly output: string;
}

export const data: object = {
  pagination: { data: 'lists.fields', size: 1, alias: 'output' },
  eleventyComputed: {
    permalink: ({ output }: FieldData) => output,
    title: ({ output }: FieldData) => byOutput.get(output)?.path,
  },
};

export function render({ output }: FieldData): string {
  const field = byOutput.get(output);
  if (field === undefined) throw new Error(`no field has the page ${output}`);
  return renderField(field);
}
