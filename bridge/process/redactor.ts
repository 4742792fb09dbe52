/** Replaces values of secrets in a text: in the output of a program, and in log lines about it. */

/** Minimum length of a value that is replaced, in characters: shorter values also occur as ordinary words. */
const LEAST_SECRET = 4;

export class Redactor {
  readonly #marks: readonly (readonly [text: string, mark: string])[];

  /** @param secrets by the names that replace them in the text */
  constructor(secrets: ReadonlyMap<string, string>) {
    const marks = [...secrets].flatMap(([name, value]) =>
      value.length < LEAST_SECRET ? [] : listForms(value).map(form => [form, `[${name}]`] as const),
    );
    // Sorted by length, longest first: one secret may be part of another.
    this.#marks = marks.sort(([a], [b]) => b.length - a.length);
  }

  redact(text: string): string {
    return this.#marks.reduce((redacted, [form, mark]) => redacted.replaceAll(form, mark), text);
  }
}

/** The secret in each form in which programs write it: plain, in JSON, in a URL, in a header of basic authentication, and line by line. */
function listForms(value: string): readonly string[] {
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
    ...value.split(/\r?\n/).filter(line => line.length >= 2 * LEAST_SECRET),
  ];
  return [...new Set(forms)];
}
