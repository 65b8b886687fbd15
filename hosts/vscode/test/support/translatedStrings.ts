import ts from 'typescript';

/** The first arguments of all calls of `vscode.l10n.t` in a source, also by the name `t`. */
export function translatedStrings(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTranslation(node.expression)) {
      const [text] = node.arguments;
      if (text !== undefined && ts.isStringLiteralLike(text)) found.push(text.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return found;
}

function isTranslation(called: ts.Expression): boolean {
  const name = ts.isPropertyAccessExpression(called) ? called.name : called;
  return ts.isIdentifier(name) && name.text === 't';
}
