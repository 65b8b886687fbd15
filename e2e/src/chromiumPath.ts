import { existsSync } from 'node:fs';

/** Chromium without a user interface, which needs a third of the resources. */
const lean = '/usr/bin/chromium-headless-shell';

/** The Chromium of the tests. `npm test` installs one and sets its path; a test file that runs alone uses Debian's. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? (existsSync(lean) ? lean : '/usr/bin/chromium');
