/**
 * An MCP server that offers the monthly climate of a dozen cities. It uses version 2 of the official SDK and has no sessions: it answers
 * each request by itself, for clients of the protocol revisions of 2025 and of revision 2026-07-28.
 *
 *     node climate.mjs [--port 4502]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { COMPARE, MONTHLY, SEARCH } from './climate-schemas.mjs';
import { serveOnLoopback } from './loopback.mjs';
import { onNodeHttp } from './web-handler.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '4502' } } });

/** @typedef {{ city: string, country: string, temperatureC: number[], rainfallMm: number[] }} City */
/** @type {City[]} */
const cities = JSON.parse(readFileSync(new URL('data/climate.json', import.meta.url), 'utf8'));

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const handler = createMcpHandler(createServer, { onerror: error => console.error(error.message) });
serveOnLoopback({ port: values.port, handle: onNodeHttp(handler.fetch) });

function createServer() {
  const server = new McpServer({ name: 'climate', version: '1.0.0' });
  const annotations = { readOnlyHint: true, openWorldHint: false };

  server.registerTool(
    'search',
    {
      description: 'Find cities by name or country.',
      annotations: { title: 'Search cities', ...annotations },
      ...SEARCH,
    },
    ({ query }) => structured({ cities: search(query).map(({ city, country }) => ({ city, country })) }),
  );

  server.registerTool(
    'monthly',
    {
      description: 'Mean temperature and rainfall of a city for each month.',
      annotations: { title: 'Climate by month', ...annotations },
      ...MONTHLY,
    },
    ({ city }) => structured(monthly(find(city))),
  );

  server.registerTool(
    'compare',
    {
      description: 'Compare the year of two cities: mean temperature, rainfall, warmest and coldest month.',
      annotations: { title: 'Compare two cities', ...annotations },
      ...COMPARE,
    },
    ({ first, second }) => structured(compare(find(first), find(second))),
  );

  return server;
}

function search(query) {
  const wanted = query.toLowerCase();
  return cities.filter(({ city, country }) => `${city}\n${country}`.toLowerCase().includes(wanted));
}

/** @throws {Error} for an unknown city; the SDK sends the message to the client as the result of the tool */
function find(name) {
  const found = cities.find(({ city }) => city.toLowerCase() === name.trim().toLowerCase());
  if (found === undefined)
    throw new Error(`no city named "${name}"; there are: ${cities.map(({ city }) => city).join(', ')}`);
  return found;
}

/** @param {City} found */
function monthly({ city, temperatureC, rainfallMm }) {
  const months = MONTHS.map((month, at) => ({ month, temperatureC: temperatureC[at], rainfallMm: rainfallMm[at] }));
  return { city, months };
}

/** How much warmer and wetter the first city is than the second. */
function compare(one, other) {
  const [first, second] = [yearOf(one), yearOf(other)];
  return {
    first,
    second,
    warmerByC: rounded(first.meanTemperatureC - second.meanTemperatureC),
    wetterByMm: first.rainfallMm - second.rainfallMm,
  };
}

/** @param {City} found */
function yearOf({ city, temperatureC, rainfallMm }) {
  return {
    city,
    meanTemperatureC: rounded(sum(temperatureC) / MONTHS.length),
    rainfallMm: sum(rainfallMm),
    warmestMonth: MONTHS[temperatureC.indexOf(Math.max(...temperatureC))],
    coldestMonth: MONTHS[temperatureC.indexOf(Math.min(...temperatureC))],
  };
}

function sum(numbers) {
  return numbers.reduce((total, next) => total + next, 0);
}

function rounded(value) {
  return Math.round(value * 10) / 10;
}

/** A tool result with structured content, and the same content as text for clients that do not know structured content. */
function structured(structuredContent) {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
}
