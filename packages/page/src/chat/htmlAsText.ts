interface MarkdownNode {
  type: string;
  readonly children?: readonly MarkdownNode[];
}

/** Makes the HTML of a markdown text a text itself: a person wants to read the tags that the model writes of. */
export function htmlAsText(): (tree: MarkdownNode) => void {
  return function visit(node: MarkdownNode): void {
    if (node.type === 'html') node.type = 'text';
    for (const child of node.children ?? []) visit(child);
  };
}
