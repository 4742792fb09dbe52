/** A base 10 integer, in a notation that both JSON and Go accept. */
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** The texts that Go's `strconv.ParseBool` accepts as true. */
const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/**
 * The possible values of a text argument when the tool gets it: at run time texts are converted to the types of the input schema. Undefined for
 * templates, whose text is only known at run time.
 */
export function listPossibleValues(text: string): readonly unknown[] | undefined {
  if (text.includes('{{')) return undefined;
  const readings: unknown[] = [text];
  if (INTEGER.test(text) || NUMBER.test(text)) readings.push(Number(text));
  if (TRUE.includes(text)) readings.push(true);
  if (FALSE.includes(text)) readings.push(false);
  if (/^\s*[[{]/.test(text)) readings.push(...parseReadings(text));
  return readings;
}

function parseReadings(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
