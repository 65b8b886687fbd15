import fc from 'fast-check';

/** Every property test without its own seed uses the seed that the run prints (vitest.config.ts). */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TANDEM_TEST_SEED) });
