// @vitest-environment happy-dom
import { history, undo } from '@codemirror/commands';
import { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { getByRole, queryAllByRole } from '@testing-library/dom';
import { describe, expect, it, onTestFinished } from 'vitest';
import { conflictActions, findConflicts } from '../src/code/conflictActions.js';

const conflict = 'one\n<<<<<<< the proposal\nmine\n=======\ntheirs\n>>>>>>> the file\nend\n';

function open(doc: string, isReadOnly = false): EditorView {
  const extensions = [history(), conflictActions, EditorState.readOnly.of(isReadOnly)];
  // Outside the document it never has the focus: happy-dom reports a selection while it is set.
  const view = new EditorView({ doc, extensions });
  onTestFinished(() => view.destroy());
  return view;
}

describe('a conflict in a text', () => {
  it.each([
    ['Use the proposal', 'one\nmine\nend\n'],
    ['Use the file', 'one\ntheirs\nend\n'],
    ['Use both', 'one\nmine\ntheirs\nend\n'],
  ])('is resolved by "%s", which can be undone', (name, resolved) => {
    const view = open(conflict);
    getByRole(view.dom, 'button', { name }).click();
    expect(view.state.doc.toString()).toBe(resolved);
    expect(queryAllByRole(view.dom, 'button')).toEqual([]);
    undo(view);
    expect(view.state.doc.toString()).toBe(conflict);
    getByRole(view.dom, 'button', { name });
  });

  it('is one of several, and the others keep their marks', () => {
    const view = open(conflict + conflict);
    const second = getByRole(view.dom, 'group', { name: 'Conflict 2 of 2' });
    getByRole(second, 'button', { name: 'Use the file' }).click();
    expect(view.state.doc.toString()).toBe(`${conflict}one\ntheirs\nend\n`);
    getByRole(view.dom, 'group', { name: 'Conflict' });
  });

  it('names its sides by their order if its marks have no names', () => {
    const { dom } = open('<<<<<<<\nmine\n=======\ntheirs\n>>>>>>>\n');
    const names = queryAllByRole(dom, 'button').map(({ textContent }) => textContent);
    expect(names).toEqual(['Use the first version', 'Use the second version', 'Use both']);
  });

  it('appears when its last mark is typed, and disappears with any of its marks', () => {
    const view = open(conflict.replace('>>>>>>> the file', '>>>>>> the file'));
    expect(queryAllByRole(view.dom, 'button')).toEqual([]);
    view.dispatch({ changes: { from: view.state.doc.toString().indexOf('>'), insert: '>' } });
    expect(queryAllByRole(view.dom, 'button')).toHaveLength(3);
    view.dispatch({ changes: { from: 4, to: 5 } });
    expect(queryAllByRole(view.dom, 'button')).toEqual([]);
  });

  it('has no buttons in a text that cannot be edited', () => {
    expect(queryAllByRole(open(conflict, true).dom, 'button')).toEqual([]);
  });
});

describe('findConflicts', () => {
  const found = (text: string): string[] => {
    const doc = Text.of(text.split('\n'));
    return findConflicts(doc).map(({ mine, theirs }) =>
      [mine, theirs].map(({ from, to }) => doc.sliceString(from, to)).join('|'),
    );
  };

  it('leaves out the common ancestor', () => {
    expect(found('<<<<<<< a\nm\n||||||| base\nb\n=======\nt\n>>>>>>> c\n')).toEqual(['m\n|t\n']);
  });

  it('finds empty sides, and a last mark without a line end', () => {
    expect(found('<<<<<<< a\n=======\nt\n>>>>>>> c')).toEqual(['|t\n']);
  });

  it.each([
    'a heading\n=======\ntext\n>>>>>>> c\n',
    '<<<<<<< a\nm\n>>>>>>> c\n=======\n',
    '<<<<<<< a\nm\n=======\nt\n',
    '<<<<<<<<< a\nm\n=========\nt\n>>>>>>>>> c\n',
  ])('finds none without all marks in order: %j', (text) => {
    expect(found(text)).toEqual([]);
  });
});
