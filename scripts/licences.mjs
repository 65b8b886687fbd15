/** Checks that all packages that a user gets with ours have a licence that is allowed. */
import { lockedPackages, requireAllowedLicences } from './shippedPackages.mjs';

try {
  requireAllowedLicences(lockedPackages());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
