import ts from 'typescript';

const anyId = /[A-Z]{3}-\d/;

/**
 * The ids of requirements, such as `[GEM-1 QWN-22]`, in the titles of the tests of a source file. Skipped tests are
 * left out, because they prove nothing.
 */
export function idsInTitles(source: string): ReadonlySet<string> {
  const ids = new Set<string>();
  // Most files have none, and parsing takes time.
  if (!anyId.test(source)) return ids;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title))
        for (const id of idsIn(title.text)) ids.add(id);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, false));
  return ids;
}

function idsIn(title: string): string[] {
  return [...title.matchAll(/\[([A-Z]{3}-\d+(?: [A-Z]{3}-\d+)*)\]/g)].flatMap(
    (match) => match[1]?.split(' ') ?? [],
  );
}

/** `it`, `test` and variants such as `.each(…)`, but not those that skip a test. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'it' || callee.text === 'test';
  if (ts.isPropertyAccessExpression(callee))
    return !/^(skip|todo)$/.test(callee.name.text) && isTest(callee.expression);
  if (ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee)) {
    return isTest(ts.isCallExpression(callee) ? callee.expression : callee.tag);
  }
  return false;
}
