import fc from 'fast-check';

/** Every property without a seed of its own uses the seed that the run has printed (vitest.config.ts). */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TANDEM_TEST_SEED) });
