/**
 * `npm run audit`: asks the registry for known vulnerabilities of what we ship. Fails when there is one. Some registries
 * answer no such question, and some machines have none: then it says that nothing was checked, and fails only with
 * `--required`, as where a release is made.
 */
import { npmOutput } from './npmOutput.mjs';

const isRequired = process.argv.includes('--required');
const { stdout } = npmOutput(['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=20000']);
const answer = read(stdout);
const counts = answer?.metadata?.vulnerabilities;
if (typeof counts?.total !== 'number') {
  const reason = answer?.message ?? 'npm did not answer in time';
  console.log(`audit: NOT CHECKED, the registry gave no answer (${reason})`);
  process.exitCode = isRequired ? 1 : 0;
} else if (counts.total === 0) {
  console.log('audit: checked, no known vulnerability in what is shipped');
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
