/**
 * `npm run sbom`: writes `sbom.cdx.json`, the bill of materials of shipped packages, in CycloneDX. The same lock file
 * gives the same bytes. An argument names another file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { root } from './devTool.mjs';
import { npmOutput } from './npmOutput.mjs';
import { lockedPackages } from './shippedPackages.mjs';

const { status, stdout, stderr } = npmOutput(['sbom', '--sbom-format', 'cyclonedx']);
if (status !== 0) throw new Error(`npm sbom failed: ${stderr.trim()}`);
const { serialNumber: _random, metadata, components, dependencies, ...bom } = JSON.parse(stdout);
const { name, version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const { timestamp: _now, component, ...made } = metadata;

// `npm sbom --omit dev` of npm 11 omits packages that are a development dependency of any workspace, even if another
// one ships them, such as `ws` and `zod`. The lock file is correct.
const shipped = new Set(lockedPackages().map(({ name, version }) => `${name}@${version}`));
const kept = components.filter((each) => shipped.has(`${each.name}@${each.version}`));
const references = new Set([component['bom-ref'], ...kept.map((each) => each['bom-ref'])]);
const missing = [...shipped].filter((id) => !kept.some((each) => `${each.name}@${each.version}` === id));
if (missing.length > 0) throw new Error(`The bill of materials lacks ${missing.join(', ')}. Run npm ci.`);

const file = process.argv[2] ?? `${root}sbom.cdx.json`;
const content = {
  ...bom,
  metadata: { ...made, component: { ...component, name, version } },
  components: kept.sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1)),
  dependencies: dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => references.has(each)).sort(),
    }))
    .sort((one, other) => (one.ref < other.ref ? -1 : 1)),
};
writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
console.log(`${file}: ${kept.length} packages`);
