import ts from 'typescript';

/**
 * @typedef {{ id: number, file: string, line: number, original: string, replacement: string, isStatic: boolean }} Mutant
 * `isStatic`: its code runs when the module is loaded
 */

/**
 * All mutants of a TypeScript source in one text: `globalThis.isMutant(id)` decides at run time which one is active.
 *
 * @param {string} text
 * @param {string} file its name
 * @param {number} lastId the ids are greater
 * @returns {{ text: string, mutants: readonly Mutant[] }}
 */
export function mutantsOf(text, file, lastId) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const mutants = [];

  const emit = (/** @type {ts.Node} */ node) => {
    if (isSkipped(node)) return node.getFullText(source);
    let inner = '';
    let at = node.getFullStart();
    node.forEachChild((child) => {
      inner += text.slice(at, child.getFullStart()) + emit(child);
      at = child.end;
    });
    inner += text.slice(at, node.end);
    const replacements = replacementsOf(node, source);
    if (replacements.length === 0) return inner;
    const start = node.getStart(source);
    const ids = replacements.map((replacement) => {
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      const [id, original] = [lastId + mutants.length + 1, node.getText(source)];
      mutants.push({ id, file, line, original, replacement, isStatic: isStatic(node) });
      return id;
    });
    const trivia = text.slice(node.getFullStart(), start);
    const own = inner.slice(trivia.length);
    // In braces, because an `else` may follow.
    if (ts.isStatement(node)) return `${trivia}{ if (!globalThis.isMutant(${ids[0]})) { ${own} } }`;
    const choices = ids
      .map((id, index) => `globalThis.isMutant(${id}) ? (${replacements[index]}) : `)
      .join('');
    return `${trivia}(${choices}(${own}))`;
  };
  return { text: emit(source), mutants };
}

const K = ts.SyntaxKind;
const swapped = new Map([
  [K.EqualsEqualsEqualsToken, ['!==']],
  [K.ExclamationEqualsEqualsToken, ['===']],
  [K.LessThanToken, ['<=', '>=']],
  [K.LessThanEqualsToken, ['<', '>']],
  [K.GreaterThanToken, ['>=', '<=']],
  [K.GreaterThanEqualsToken, ['>', '<']],
  [K.PlusToken, ['-']],
  [K.MinusToken, ['+']],
  [K.AsteriskToken, ['/']],
  [K.SlashToken, ['*']],
  [K.AmpersandAmpersandToken, ['||']],
  [K.BarBarToken, ['&&']],
  [K.QuestionQuestionToken, ['&&']],
]);
const otherMethod = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    min: 'max',
    max: 'min',
  }),
);

/** What replaces a node, as text; for a statement one empty text. @returns {readonly string[]} */
function replacementsOf(/** @type {ts.Node} */ node, /** @type {ts.SourceFile} */ source) {
  const textOf = (/** @type {ts.Node} */ each) => each.getText(source);
  const { parent } = node;
  if (ts.isExpressionStatement(node))
    return ts.isCallExpression(bare(node.expression)) && !isSuper(node) ? [''] : [];
  if (isCondition(node) && node.kind !== K.TrueKeyword) return ['true', 'false'];
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    return (swapped.get(operatorToken.kind) ?? []).map(
      (operator) => `(${textOf(left)}) ${operator} (${textOf(right)})`,
    );
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) return [textOf(node.operand)];
  if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword)
    return [node.kind === K.TrueKeyword ? 'false' : 'true'];
  if (ts.isNumericLiteral(node)) return [`${textOf(node)} + 1`];
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    // Prose is not behaviour, and another operator already changes a comparison.
    return node.text.includes(' ') || isEquality(parent) ? [] : [node.text === '' ? "'mutant'" : "''"];
  }
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) return ['[]'];
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression, name } = node.expression;
    const other = otherMethod.get(name.text);
    const args = node.arguments.map(textOf).join(', ');
    if (other !== undefined) return [`${textOf(expression)}.${other}(${args})`];
    if (name.text === 'filter' || name.text === 'slice') return [textOf(expression)];
  }
  return [];
}

function isSkipped(/** @type {ts.Node} */ node) {
  const { parent } = node;
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isArrayBindingPattern(node) || ts.isObjectBindingPattern(node)) return true;
  if (parent === undefined) return false;
  if (
    parent.kind === K.ImportKeyword ||
    (ts.isCallExpression(parent) && parent.expression.kind === K.ImportKeyword)
  )
    return true;
  // The name of a property, and what is assigned to.
  if ('name' in parent && parent.name === node && !ts.isPropertyAccessExpression(parent)) return true;
  const isTarget = ts.isBinaryExpression(parent) && parent.left === node;
  return (
    isTarget &&
    parent.operatorToken.kind >= K.FirstAssignment &&
    parent.operatorToken.kind <= K.LastAssignment
  );
}

function isCondition(/** @type {ts.Node} */ node) {
  const { parent } = node;
  if (parent === undefined) return false;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) return parent.expression === node;
  return ts.isConditionalExpression(parent) && parent.condition === node;
}

function isEquality(/** @type {ts.Node} */ node) {
  const kind = ts.isBinaryExpression(node) ? node.operatorToken.kind : undefined;
  return kind === K.EqualsEqualsEqualsToken || kind === K.ExclamationEqualsEqualsToken;
}

function isSuper(/** @type {ts.ExpressionStatement} */ { expression }) {
  return ts.isCallExpression(expression) && expression.expression.kind === K.SuperKeyword;
}

/** Without `void` and `await`. @returns {ts.Expression} */
function bare(/** @type {ts.Expression} */ node) {
  return ts.isVoidExpression(node) || ts.isAwaitExpression(node) ? bare(node.expression) : node;
}

function isStatic(/** @type {ts.Node} */ node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at)) return false;
  }
  return true;
}
