/** The input and output schemas of the climate tools, as plain JSON Schema. */
import { fromJsonSchema } from '@modelcontextprotocol/server';

const text = { type: 'string' };
const number = { type: 'number' };
const year = object({
  city: text,
  meanTemperatureC: number,
  rainfallMm: number,
  warmestMonth: text,
  coldestMonth: text,
});

export const SEARCH = {
  inputSchema: fromJsonSchema(object({ query: described('Part of a city or country name') })),
  outputSchema: fromJsonSchema(object({ cities: listOf(object({ city: text, country: text })) })),
};

export const MONTHLY = {
  inputSchema: fromJsonSchema(object({ city: described('Name of a city, as search gives it') })),
  outputSchema: fromJsonSchema(
    object({ city: text, months: listOf(object({ month: text, temperatureC: number, rainfallMm: number })) }),
  ),
};

export const COMPARE = {
  inputSchema: fromJsonSchema(
    object({ first: described('Name of a city, as search gives it'), second: described('Name of another city') }),
  ),
  outputSchema: fromJsonSchema(object({ first: year, second: year, warmerByC: number, wetterByMm: number })),
};

/** An object whose members are all required. */
function object(properties) {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function listOf(items) {
  return { type: 'array', items };
}

function described(description) {
  return { type: 'string', description, minLength: 1, maxLength: 100 };
}
