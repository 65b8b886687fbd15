/**
 * For esbuild: zod includes and loads its messages in fifty languages, a fifth of a bundle. We need only English.
 *
 * @type {import('esbuild').Plugin}
 */
export const withoutZodLocales = {
  name: 'without-zod-locales',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};
