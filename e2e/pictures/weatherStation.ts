import type { Stage } from '../src/stage.js';

const forecast = `import { readSensors } from './sensors.js';
import { average } from './statistics.js';

export type Kind = 'storm' | 'rain' | 'fair';
export interface Forecast { kind: Kind; pressure: number }

/** The weather of the next hours, from the readings of the last ones. */
export async function forecast(station: string): Promise<Forecast> {
  const readings = await readSensors(station, 6);
  const pressure = average(readings);
  const trend = readings.at(-1)! - readings[0]!;
  if (trend < -4) return { kind: 'storm', pressure };
  if (trend < 0) return { kind: 'rain', pressure };
  return { kind: 'fair', pressure };
}

const names = {
  storm: 'A storm is coming',
  rain: 'Rain',
  fair: 'Fair weather',
};

/** One line for the display of a station. */
export function describe({ kind, pressure }: Forecast): string {
  return names[kind] + ', ' + pressure + ' hPa';
}
`;

const statistics = `export function average(values: number[]): number {
  return values.reduce((sum, value) => sum + value) / values.length;
}
`;

const files = {
  'src/forecast.ts': forecast,
  'src/statistics.ts': statistics,
  'src/sensors.ts': `import { readFile } from 'node:fs/promises';

/** The pressure at a station, hour by hour, in hPa. */
export async function readSensors(station: string, hours: number): Promise<number[]> {
  const lines = (await readFile(\`data/\${station}.csv\`, 'utf8')).trim().split('\\n');
  return lines.slice(-hours).map(Number);
}
`,
  'package.json': '{ "name": "weather-station" }\n',
  'README.md': '# Weather station\n',
  '.env': 'STATION_TOKEN=\n',
};

/** What the agents propose, by file. */
export const proposals = {
  'src/forecast.ts': forecast
    .replace(
      '  const pressure = average',
      `  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) throw new Error(\`No readings of \${station}\`);
  const pressure = average`,
    )
    .replace('readings.at(-1)! - readings[0]!', 'last - first')
    .replace("names[kind] + ', ' + pressure + ' hPa'", `\`\${names[kind]}, \${Math.round(pressure)} hPa\``),
  'src/alarm.ts': `import type { Forecast } from './forecast.js';

/** Whether to wake the keeper of the station. */
export function isAlarming({ kind }: Forecast): boolean {
  return kind === 'storm';
}
`,
  'src/statistics.ts': statistics.replace(
    '  return',
    "  if (values.length === 0) throw new RangeError('No values');\n  return",
  ),
  'README.md': '# Weather station\n\nPrints the forecast of a station, one line an hour.\n',
};

/** A small project that is easy to read in a picture. */
export async function putWeatherStation(stage: Stage): Promise<void> {
  for (const [name, content] of Object.entries(files)) await stage.put(name, content);
}
