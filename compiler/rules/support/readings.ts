/** An integer in base 10, and what JSON and Go both take for a number. */
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** The words of Go's `strconv.ParseBool`. */
const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/**
 * What a text among the arguments of a step may be by the time the tool gets it: the run converts texts to the types of
 * the input schema. Undefined for templates, whose text only the run knows.
 */
export function listReadings(text: string): readonly unknown[] | undefined {
  if (text.includes('{{')) return undefined;
  const readings: unknown[] = [text];
  if (INTEGER.test(text) || NUMBER.test(text)) readings.push(Number(text));
  if (TRUE.includes(text)) readings.push(true);
  if (FALSE.includes(text)) readings.push(false);
  if (/^\s*[[{]/.test(text)) readings.push(...parsed(text));
  return readings;
}

function parsed(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
