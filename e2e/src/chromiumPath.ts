import { existsSync } from 'node:fs';

/** Chromium without its windows, bars and tabs, which costs a third. */
const lean = '/usr/bin/chromium-headless-shell';

/** The Chromium that tests drive. `npm test` brings one along and names it; a test file that is run alone takes Debian's. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? (existsSync(lean) ? lean : '/usr/bin/chromium');
