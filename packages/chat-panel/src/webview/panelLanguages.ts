import {
  LanguageDescription,
  LanguageSupport,
  StreamLanguage,
  type StreamParser,
} from '@codemirror/language';

/** A language with its aliases and the extensions of its files, all separated by spaces. */
type Names = readonly [name: string, aliases: string, extensions: string];

function language(
  [name, aliases, extensions]: Names,
  load: () => Promise<LanguageSupport>,
): LanguageDescription {
  return LanguageDescription.of({ name, alias: words(aliases), extensions: words(extensions), load });
}

function legacy(names: Names, load: () => Promise<StreamParser<unknown>>): LanguageDescription {
  return language(names, async () => new LanguageSupport(StreamLanguage.define(await load())));
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

const javascript = (options: { jsx?: boolean; typescript?: boolean }) => async () =>
  (await import('@codemirror/lang-javascript')).javascript(options);
const clike = () => import('@codemirror/legacy-modes/mode/clike');

/**
 * The languages that the chat panel of VS Code colours, instead of all that `@codemirror/language-data` lists. Small
 * parsers where there is a choice: snippets in a chat do not need exact ones.
 */
export const languages: readonly LanguageDescription[] = [
  language(['JavaScript', 'ecmascript js node', 'js mjs cjs'], javascript({})),
  language(['JSX', '', 'jsx'], javascript({ jsx: true })),
  language(['TypeScript', 'ts', 'ts mts cts'], javascript({ typescript: true })),
  language(['TSX', '', 'tsx'], javascript({ jsx: true, typescript: true })),
  language(['JSON', 'json5 jsonc', 'json map'], async () => (await import('@codemirror/lang-json')).json()),
  language(['CSS', 'scss less', 'css scss less'], async () => (await import('@codemirror/lang-css')).css()),
  language(['HTML', 'xhtml vue svelte', 'html htm vue'], async () =>
    (await import('@codemirror/lang-html')).html(),
  ),
  language(['XML', 'rss wsdl xsd', 'xml xsl xsd svg'], async () =>
    (await import('@codemirror/lang-xml')).xml(),
  ),
  language(['YAML', 'yml', 'yaml yml'], async () => (await import('@codemirror/lang-yaml')).yaml()),
  legacy(['C', '', 'c h'], async () => (await clike()).c),
  legacy(['C++', 'cpp', 'cpp cc cxx hpp hh'], async () => (await clike()).cpp),
  legacy(['C#', 'csharp cs', 'cs'], async () => (await clike()).csharp),
  legacy(['Dart', '', 'dart'], async () => (await clike()).dart),
  legacy(['Java', '', 'java'], async () => (await clike()).java),
  legacy(['Kotlin', '', 'kt kts'], async () => (await clike()).kotlin),
  legacy(['Objective-C', 'objc', 'm mm'], async () => (await clike()).objectiveC),
  legacy(['Scala', '', 'scala'], async () => (await clike()).scala),
  legacy(['CMake', '', 'cmake'], async () => (await import('@codemirror/legacy-modes/mode/cmake')).cmake),
  legacy(
    ['Clojure', '', 'clj cljs cljc edn'],
    async () => (await import('@codemirror/legacy-modes/mode/clojure')).clojure,
  ),
  legacy(
    ['Diff', 'patch', 'diff patch'],
    async () => (await import('@codemirror/legacy-modes/mode/diff')).diff,
  ),
  legacy(
    ['Dockerfile', 'docker', ''],
    async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile,
  ),
  legacy(['Go', 'golang', 'go'], async () => (await import('@codemirror/legacy-modes/mode/go')).go),
  legacy(
    ['Groovy', 'gradle', 'groovy gradle'],
    async () => (await import('@codemirror/legacy-modes/mode/groovy')).groovy,
  ),
  legacy(
    ['Haskell', 'hs', 'hs'],
    async () => (await import('@codemirror/legacy-modes/mode/haskell')).haskell,
  ),
  legacy(['Julia', '', 'jl'], async () => (await import('@codemirror/legacy-modes/mode/julia')).julia),
  legacy(['Lua', '', 'lua'], async () => (await import('@codemirror/legacy-modes/mode/lua')).lua),
  legacy(['Perl', '', 'pl pm'], async () => (await import('@codemirror/legacy-modes/mode/perl')).perl),
  legacy(
    ['PowerShell', 'ps1 pwsh', 'ps1 psm1'],
    async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell,
  ),
  legacy(
    ['Properties files', 'ini properties', 'ini properties'],
    async () => (await import('@codemirror/legacy-modes/mode/properties')).properties,
  ),
  legacy(
    ['ProtoBuf', 'protobuf proto', 'proto'],
    async () => (await import('@codemirror/legacy-modes/mode/protobuf')).protobuf,
  ),
  legacy(
    ['Python', 'py', 'py pyi'],
    async () => (await import('@codemirror/legacy-modes/mode/python')).python,
  ),
  legacy(['R', 'rscript', 'r'], async () => (await import('@codemirror/legacy-modes/mode/r')).r),
  legacy(['Ruby', 'rb', 'rb'], async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby),
  legacy(['Rust', 'rs', 'rs'], async () => (await import('@codemirror/legacy-modes/mode/rust')).rust),
  legacy(
    ['SQL', 'mysql postgresql sqlite', 'sql'],
    async () => (await import('@codemirror/legacy-modes/mode/sql')).standardSQL,
  ),
  legacy(
    ['Shell', 'bash sh zsh console', 'sh bash'],
    async () => (await import('@codemirror/legacy-modes/mode/shell')).shell,
  ),
  legacy(['Swift', '', 'swift'], async () => (await import('@codemirror/legacy-modes/mode/swift')).swift),
  legacy(['TOML', '', 'toml'], async () => (await import('@codemirror/legacy-modes/mode/toml')).toml),
];
