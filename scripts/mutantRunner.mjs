/**
 * Runs tests with one mutant after the other, for `mutate.mjs`, in the current folder: a copy of the checkout. Each message
 * of the parent, `{ id, files }`, is answered by `{ isOk, problems, files }`. Without `files`, all tests run that import one of
 * the sources and are in one of the folders.
 */
import { createVitest } from 'vitest/node';

const [sources, folders] = process.argv.slice(2).map((list) => list.split(','));
const vitest = await createVitest('test', {
  project: ['fast'],
  related: sources,
  watch: false,
  bail: 1,
  reporters: [{}],
});
await vitest.standalone();
const related = await vitest.getRelevantTestSpecifications();
const specifications = related.filter(({ moduleId }) =>
  folders.some((folder) => moduleId.startsWith(`${process.cwd()}/${folder}/`)),
);

process.on('message', async ({ id, files }) => {
  process.env.TANDEM_MUTANT = String(id);
  const chosen = specifications.filter(({ moduleId }) => files === undefined || files.includes(moduleId));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, false);
  const failed = testModules.filter((module) => !module.ok());
  const isOk = chosen.length > 0 && failed.length === 0 && unhandledErrors.length === 0;
  const problems = failed.flatMap((module) =>
    [...module.children.allTests('failed')].map((test) => `${module.relativeModuleId}: ${test.fullName}`),
  );
  process.send({ isOk, problems, files: chosen.map(({ moduleId }) => moduleId) });
});
process.once('disconnect', () => process.exit());
// Ready.
process.send({});
