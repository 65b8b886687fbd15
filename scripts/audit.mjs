/**
 * `npm run audit`: asks the registry for known vulnerabilities of shipped dependencies, and fails if there is one.
 * Without a registry that supports the request, it reports that nothing was checked; it then fails only with
 * `--required`, which releases use.
 */
import { npmOutput } from './npmOutput.mjs';

const isRequired = process.argv.includes('--required');
const { stdout } = npmOutput(['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=20000']);
const answer = read(stdout);
const counts = answer?.metadata?.vulnerabilities;
if (typeof counts?.total !== 'number') {
  const reason = answer?.message ?? 'npm did not answer in time';
  console.log(`audit: NOT CHECKED, the registry did not answer (${reason})`);
  process.exitCode = isRequired ? 1 : 0;
} else if (counts.total === 0) {
  console.log('audit: checked, no known vulnerabilities in shipped dependencies');
} else {
  const { total, critical = 0, high = 0 } = counts;
  console.log(
    `audit: ${total} known vulnerabilities, ${critical} critical, ${high} high. "npm audit --omit=dev" names them.`,
  );
  process.exitCode = 1;
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
